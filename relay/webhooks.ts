import { fanOut, forgetOldEvents, recoverSome, requeueOverdueWebhooks, takeWakeTargets } from '#db/webhooks/events.ts';
import { createLoop } from './loop.ts';
import type { RelayPart, RelayPartOptions } from './part.ts';
import { createWaker } from './dispatcher.ts';
import type { WakeWebhook } from './webhook-waker.ts';

/** What `createWebhookRelay` is built from; the times are for tests. */
export interface WebhookRelayOptions extends RelayPartOptions {
  wakeWebhook: WakeWebhook;
}

const eventsAtOnce = 2_000;
// A click event is small; so are these batches for the database.
const recoveredAtOnce = 2_000;
const overdueMs = 10_000;
// A pump looks every ten seconds.
const unseenMs = 30_000;
const webhooksAtOnce = 200;
const forgottenAtOnce = 2_000;
const forgetEveryMs = 60_000;

/**
 * Starts it: events become deliveries, webhooks that have some are woken, what was missed is made up for, and what is old
 * is forgotten. Events become deliveries while Temporal is away too.
 */
export function createWebhookRelay({
  db,
  wakeWebhook,
  temporal,
  log,
  counts,
  onError,
  pollEveryMs,
  reconcileEveryMs,
}: WebhookRelayOptions): RelayPart {
  const wakes = createLoop({
    task: createWaker({
      sql: db,
      kind: 'webhook',
      listTargets: takeWakeTargets,
      wakeTarget: wakeWebhook,
      temporal,
      log,
      counts,
    }),
    everyMs: pollEveryMs,
    onError,
  });
  const events = createLoop({ task: handOn, everyMs: pollEveryMs, onError });
  const missed = createLoop({ task: recover, everyMs: pollEveryMs, onError });
  const overdue = createLoop({ task: reconcile, everyMs: reconcileEveryMs, onError });
  const old = createLoop({ task: () => forgetOldEvents(db, forgottenAtOnce), everyMs: forgetEveryMs, onError });

  async function handOn(): Promise<boolean> {
    const handed = await fanOut(db, eventsAtOnce);
    counts.events += handed;
    if (handed > 0) wakes.wake();
    return handed === eventsAtOnce;
  }

  async function recover(): Promise<boolean> {
    const more = await recoverSome(db, recoveredAtOnce);
    if (more) wakes.wake();
    return more;
  }

  async function reconcile(): Promise<boolean> {
    if (!temporal.isReachable()) return false;
    const requeued = await requeueOverdueWebhooks(db, { overdueMs, unseenMs, limit: webhooksAtOnce });
    counts.requeued += requeued;
    if (requeued > 0) {
      log.info({ requeued }, 'webhooks that were overdue are looked at again');
      wakes.wake();
    }
    return false;
  }

  return {
    wake() {
      events.wake();
      wakes.wake();
      missed.wake();
    },
    async stop() {
      await Promise.all([wakes.stop(), events.stop(), missed.stop(), overdue.stop(), old.stop()]);
    },
  };
}
