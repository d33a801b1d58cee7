import type { StartedWorkflow, StartWorkflow } from '#adapters/temporal/start.ts';
import type { RelayContext } from '#relay/dispatcher.ts';
import { createRelayCounts } from '#relay/metrics.ts';
import type { WantedScan } from '#workflows/threat-scan.ts';
import { emOf } from './entity-managers.ts';
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
export type StartScan = (input: WantedScan) => Promise<StartedWorkflow>;

/** Starts no workflow: scans go to `startScan`, other workflows count as started. */
export function startingScans(startScan: StartScan): StartWorkflow {
  return async ({ type, options }) =>
    type === 'threatScan' && 'urlHashes' in options.args![0]
      ? startScan(options.args![0] as WantedScan)
      : { workflowId: options.workflowId };
}
