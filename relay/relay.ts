import type { Logger } from 'pino';
import type { StartWorkflow } from '#adapters/temporal/start.ts';
import type { Meter } from '#core/lib/meter.ts';
import type { Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { type RelayPart, startPrepared, type TemporalState } from './dispatcher.ts';
import { createKindDispatcher, workflowKinds } from './kinds.ts';
import { createRelayCounts, measureRelay } from './metrics.ts';
import { createScans } from './scans.ts';
import { createSearchIndexUpkeep } from './search-index.ts';
import { createWebhookRelay } from './webhooks.ts';

/** The times are for tests. */
export interface RelayOptions {
  db: Database;
  em: EntityManager;
  startWorkflow: StartWorkflow;
  /** Scans that an organization may have in a day (UTC). */
  scansPerDay: number;
  temporal: TemporalState;
  log: Logger;
  meter: Meter;
  /** How often the outbox is read without a wake-up. */
  pollEveryMs?: number;
  /** How often overdue work is looked for. */
  reconcileEveryMs?: number;
}

/**
 * Carries requests from the outbox to workflows until it is stopped; running workflows go on in Temporal. Any number may run at
 * once, in any number of processes.
 */
export function createRelay({
  db,
  em,
  startWorkflow,
  scansPerDay,
  temporal,
  log,
  meter,
  pollEveryMs = 1_000,
  reconcileEveryMs = 15_000,
}: RelayOptions): RelayPart {
  const onError = (error: Error): void =>
    log.warn({ reason: error.message }, 'the relay could not do its work; it tries again');
  const counts = createRelayCounts();
  measureRelay(meter, counts);
  const context = {
    db,
    em,
    startWorkflow: startPrepared(startWorkflow, temporal),
    temporal,
    log,
    counts,
    onError,
    pollEveryMs,
    reconcileEveryMs,
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
