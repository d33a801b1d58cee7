import { fanOut } from '#db/webhooks/fan-out.ts';
import { recoverSome } from '#db/webhooks/deliveries/recoveries.ts';
import type { RelayContext } from './dispatcher.ts';
import { createKindDispatcher } from './kinds.ts';
import { createLoop, type RelayPart } from './loop.ts';

const eventsAtOnce = 2_000;
const recoveredAtOnce = 2_000;
// A connection keeps its plan: one from the time when a table was small would read all of it for each event with a scope.
const fanOutTransaction = { plans: 'indexes-only' } as const;

/**
 * Carries events to webhooks: events become deliveries, also while Temporal is unreachable; what a webhook missed becomes
 * deliveries when it is asked for; and the workflows of webhooks with deliveries are woken.
 */
export function createWebhookRelay(context: RelayContext): RelayPart {
  const { em, counts, onError, pollEveryMs } = context;
  const dispatcher = createKindDispatcher('webhook', context);
  const events = createLoop({ task: handOn, everyMs: pollEveryMs, onError });
  const missed = createLoop({ task: recover, everyMs: pollEveryMs, onError });

  async function handOn(): Promise<boolean> {
    const handed = await em.transactional((em) => fanOut(em, eventsAtOnce), fanOutTransaction);
    counts.events += handed;
    if (handed > 0) dispatcher.wake();
    return handed === eventsAtOnce;
  }

  async function recover(): Promise<boolean> {
    const more = await recoverSome(em, recoveredAtOnce);
    if (more) dispatcher.wake();
    return more;
  }

  return {
    wake() {
      events.wake();
      dispatcher.wake();
      missed.wake();
    },
    async stop() {
      await Promise.all([dispatcher.stop(), events.stop(), missed.stop()]);
    },
  };
}
