import type { Logger } from 'pino';
import { type Meter, noMeter } from '#core/lib/meter.ts';
import { forgetOldAudit } from '#db/organizations/audit.ts';
import type { Database } from '#db/connection/database.ts';
import { forgetOldCalls } from '#db/idempotency.ts';
import { forgetOldImports } from '#db/imports/imports.ts';
import { forgetEndedSessions } from '#db/organizations/sessions.ts';
import { forgetSignInAttempts } from '#db/attempts.ts';
import { forgetScanDays } from '#db/threats/scan-queue.ts';
import { requeueOverdue } from '#db/threats/verdicts.ts';
import type { StartDelete } from './delete-starter.ts';
import { createDeleteRelay } from './deletes.ts';
import type { WakeDomain } from './domain-waker.ts';
import { createDomainRelay } from './domains.ts';
import type { StartImport } from './import-starter.ts';
import { createImportRelay } from './imports.ts';
import { createLoop, type Loop } from './loop.ts';
import { createRelayCounts, measureRelay } from './metrics.ts';
import { createThreatMailRelay, type StartThreatMail } from './scan-mails.ts';
import { createScanBatcher, type TemporalState } from './scans.ts';
import type { StartScan } from './scan-starter.ts';
import { createSlots } from './slots.ts';
import type { WakeWebhook } from './webhook-waker.ts';
import { createWebhookRelay } from './webhooks.ts';

/** What `createRelay` is built from; the times are for tests. */
export interface RelayOptions {
  db: Database;
  databaseUrl: string;
  startScan: StartScan;
  /** Scans that an organization may have in a day (UTC). */
  scansPerDay?: number;
  wakeWebhook: WakeWebhook;
  wakeDomain: WakeDomain;
  startDelete: StartDelete;
  startImport: StartImport;
  startThreatMail: StartThreatMail;
  temporal: TemporalState;
  log: Logger;
  meter?: Meter;
  /** How often the outbox is looked at unasked. */
  pollEveryMs?: number;
  /** How often overdue work is looked for. */
  reconcileEveryMs?: number;
}

/** Carries wishes from the outbox to workflows, for as long as it runs. Any number may run at once. */
export interface Relay {
  /** Looks into the outbox soon. */
  wake(): void;
  /** Claims no more, ends what was claimed, and leaves running workflows to Temporal. */
  stop(): Promise<void>;
}

// Scans unfinished at once in an installation: more would only compete, and what waits makes the next batch bigger.
const scansAtOnce = 4;
const scanSlotsKey = 1;
const overdueAtOnce = 500;
const forgetEveryMs = 600_000;
const oldRowsAtOnce = 5_000;

/** Starts a relay: it looks at once, when woken, and by itself. */
export function createRelay({
  db,
  databaseUrl,
  startScan,
  scansPerDay = 100_000,
  wakeWebhook,
  wakeDomain,
  startDelete,
  startImport,
  startThreatMail,
  temporal,
  log,
  meter = noMeter,
  pollEveryMs = 1_000,
  reconcileEveryMs = 15_000,
}: RelayOptions): Relay {
  const onError = (error: Error): void =>
    log.warn({ reason: error.message }, 'the relay could not do its work; it tries again');
  const counts = createRelayCounts();
  measureRelay(meter, counts);
  const slots = createSlots({ url: databaseUrl, key: scanSlotsKey, count: scansAtOnce, onError });
  const part = { db, temporal, log, counts, onError, pollEveryMs, reconcileEveryMs };
  const webhooks = createWebhookRelay({ ...part, wakeWebhook });
  const domains = createDomainRelay({ ...part, wakeDomain });
  const deletes = createDeleteRelay({ ...part, startDelete });
  const imports = createImportRelay({ ...part, startImport });
  const mails = createThreatMailRelay({ db, startThreatMail, temporal, log, counts, onError, pollEveryMs });
  const wake = (): void => batches.wake();
  const batcher = createScanBatcher({ sql: db, slots, startScan, perDay: scansPerDay, temporal, log, counts, wake });
  const batches: Loop = createLoop({ task: () => batcher.turn(), everyMs: pollEveryMs, onError });
  const overdue: Loop = createLoop({ task: reconcile, everyMs: reconcileEveryMs, onError });
  const old: Loop = createLoop({ task: forgetOld, everyMs: forgetEveryMs, onError });

  async function reconcile(): Promise<boolean> {
    // All of it would only wait in the outbox.
    if (!temporal.isReachable()) return false;
    const { seen, requeued } = await requeueOverdue(db, overdueAtOnce);
    counts.requeued += requeued;
    if (requeued > 0) {
      log.info({ requeued }, 'overdue threat scans were put into the outbox again');
      wake();
    }
    return seen === overdueAtOnce;
  }

  async function forgetOld(): Promise<boolean> {
    await forgetOldCalls(db);
    await forgetEndedSessions(db);
    await forgetSignInAttempts(db);
    await forgetOldAudit(db);
    await forgetScanDays(db);
    return forgetOldImports(db, oldRowsAtOnce);
  }

  return {
    wake() {
      batches.wake();
      webhooks.wake();
      domains.wake();
      deletes.wake();
      imports.wake();
      mails.wake();
    },
    async stop() {
      await Promise.all([
        batches.stop(),
        overdue.stop(),
        old.stop(),
        webhooks.stop(),
        domains.stop(),
        deletes.stop(),
        imports.stop(),
        mails.stop(),
      ]);
      await batcher.close();
      await slots.close();
    },
  };
}
