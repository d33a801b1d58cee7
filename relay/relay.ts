import type { Meter } from '#core/lib/meter.ts';
import { type RelayContext, startPrepared } from './dispatcher.ts';
import { createKindDispatcher, workflowKinds } from './kinds.ts';
import type { RelayPart } from './loop.ts';
import { createRelayCounts } from './metrics.ts';
import { createScans } from './scans.ts';
import { createSearchIndexUpkeep } from './search-index.ts';
import { createWebhookRelay } from './webhooks.ts';

type Intervals = Pick<RelayContext, 'pollEveryMs' | 'reconcileEveryMs'>;

/** The intervals are for tests. */
export interface RelayOptions extends Omit<RelayContext, 'counts' | 'onError' | keyof Intervals>, Partial<Intervals> {
  /** Scans that an organization may have in a day (UTC). */
  scansPerDay: number;
  meter: Meter;
}

/**
 * Carries requests from the outbox to workflows until it is stopped; running workflows go on in Temporal. Any number may run at
 * once, in any number of processes.
 */
export function createRelay({ scansPerDay, meter, ...options }: RelayOptions): RelayPart {
  const { startWorkflow, temporal, log } = options;
  const context: RelayContext = {
    pollEveryMs: 1_000,
    reconcileEveryMs: 15_000,
    ...options,
    startWorkflow: startPrepared(startWorkflow, temporal),
    counts: createRelayCounts(meter),
    onError: (error) => log.warn({ reason: error.message }, 'the relay could not do its work; it tries again'),
  };
  const parts: RelayPart[] = [
    createScans({ ...context, perDay: scansPerDay }),
    createWebhookRelay(context),
    ...workflowKinds.filter((kind) => kind !== 'webhook').map((kind) => createKindDispatcher(kind, context)),
    createSearchIndexUpkeep(context),
  ];

  return {
    wake() {
      for (const part of parts) part.wake();
    },
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
