import type { StartWorkflow } from '#adapters/temporal/start.ts';
import type { RelayContext } from '#relay/dispatcher.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { createRelayCounts } from '#relay/metrics.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import type { ThreatScanInput } from '#workflows/threats/scan.ts';
import { emOf } from './entity-managers.ts';
import { eventually } from './eventually.ts';
import { silent } from './test-worker.ts';

/** A Temporal service that is always reachable. */
export const reachable = { isReachable: () => true, isAway: () => false, prepare: async () => {} };

/** Dependencies of the relay's parts, with short intervals for tests. */
export function relayContext(
  context: Pick<RelayContext, 'db' | 'startWorkflow'> & Partial<RelayContext>,
): RelayContext {
  return {
    em: emOf(context.db),
    temporal: reachable,
    log: silent,
    counts: createRelayCounts(),
    onError: (error) => {
      throw error;
    },
    pollEveryMs: 50,
    reconcileEveryMs: 500,
    ...context,
  };
}

/** Takes a threat scan in Temporal's place. */
export type StartScan = (input: ThreatScanInput) => Promise<void>;

/** Starts no workflow: scans go to `startScan`, other workflows count as started. */
export function startingScans(startScan: StartScan): StartWorkflow {
  return async ({ type, options }) => {
    if (type === 'threatScan') await startScan(options.args![0] as ThreatScanInput);
  };
}

/** Hands the rows of a kind that the outbox has to the relay. @returns the workflows that it starts for them. */
export async function startsFor(
  db: RelayContext['db'],
  kind: Parameters<typeof createKindDispatcher>[0],
): Promise<WorkflowStart[]> {
  const starts: WorkflowStart[] = [];
  const startWorkflow: StartWorkflow = async (start) => void starts.push(start);
  const relay = createKindDispatcher(kind, relayContext({ db, startWorkflow, reconcileEveryMs: 3_600_000 }));
  await eventually(async () => (await db.query('select from outbox where kind = $1', [kind])).rowCount === 0);
  await relay.stop();
  return starts;
}
