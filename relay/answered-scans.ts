import { gatherAnswered } from '#db/threats/scan-batches.ts';
import type { RelayContext, RelayPart } from './dispatcher.ts';
import { createKindDispatcher } from './kinds.ts';
import { createLoop } from './loop.ts';

/** Choice: a workflow of a thousand answered scans costs hardly more than one of a single scan, and no caller waits for it. */
const maxBatch = 1_000;
const gatherEveryMs = 1_000;

/** `perDay`: scans that an organization may have in a day (UTC). */
type AnsweredScanOptions = RelayContext & { perDay: number };

/**
 * Dispatches answered scans, whose verdicts were known within the call that requested them: every second it starts one workflow,
 * which records the answered scans of that second. While Temporal cannot be reached, answered scans wait in the database.
 */
export function createAnsweredScans({ perDay, ...context }: AnsweredScanOptions): RelayPart {
  const { db, temporal, counts, onError } = context;
  const dispatcher = createKindDispatcher('scan-batch', context);
  const gathering = createLoop({ task: gather, everyMs: gatherEveryMs, onError });

  async function gather(): Promise<boolean> {
    if (!temporal.isReachable()) return false;
    const taken = await gatherAnswered(db, { limit: maxBatch, perDay });
    counts.destinations += taken;
    if (taken > 0) dispatcher.wake();
    return taken === maxBatch;
  }

  return {
    wake: () => dispatcher.wake(),
    async stop() {
      await gathering.stop();
      await dispatcher.stop();
    },
  };
}
