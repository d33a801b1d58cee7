import { gatherAnswered } from '#db/threats/scan-batches.ts';
import type { RelayContext, RelayPart } from './dispatcher.ts';
import { createKindDispatcher } from './kinds.ts';
import { createLoop } from './loop.ts';

/** Choice: a workflow of thousands of answered scans costs hardly more than one of a single scan, and no caller waits for it. */
const maxBatch = 5_000;
const gatherEveryMs = 1_000;
// Search attributes name the first 40 links of a batch (`scan_batches` names all): while more come in a second, waiting for others
// hides none that could be found. A choice: a fifth of the workflows.
const namedLinks = 40;
const turnsToRest = 4;

/** `perDay`: scans that an organization may have in a day (UTC). */
type AnsweredScanOptions = RelayContext & { perDay: number };

/**
 * Dispatches answered scans, whose verdicts were known within the call that requested them: every second it starts one workflow,
 * which records the answered scans of that second; every five seconds while many links are made. While Temporal cannot be reached,
 * answered scans wait in the database.
 */
export function createAnsweredScans({ perDay, ...context }: AnsweredScanOptions): RelayPart {
  const { db, temporal, counts, onError } = context;
  const dispatcher = createKindDispatcher('scan-batch', context);
  let resting = 0;
  const gathering = createLoop({ task: gather, everyMs: gatherEveryMs, onError });

  async function gather(): Promise<boolean> {
    if (resting > 0) {
      resting -= 1;
      return false;
    }
    if (!temporal.isReachable()) return false;
    const { taken, more } = await gatherAnswered(db, { limit: maxBatch, perDay });
    counts.destinations += taken;
    if (taken > 0) dispatcher.wake();
    if (!more && taken > namedLinks) resting = turnsToRest;
    return more;
  }

  return {
    wake: () => dispatcher.wake(),
    async stop() {
      await gathering.stop();
      await dispatcher.stop();
    },
  };
}
