import { setTimeout as sleep } from 'node:timers/promises';
import { createOrganization } from '#test/support/factories.ts';
import { count, milliseconds, percentile } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import type { Hooks } from './hooks.ts';
import type { Stage } from './stage.ts';

const busyWebhooks = 200;
const deliveriesOfEach = 500;
const quickDeliveriesOfEach = 50;
const events = 40;
const quickEvents = 12;
const pauseMs = 250;
const mostMs = 1_000;

/**
 * W2: measures deliveries of organizations with a webhook each, alone and beside 200 busy webhooks of another organization. Each event
 * has an organization of its own, so that it wakes a workflow and finds no pump at work.
 */
export async function measureTurns(
  { hooks, hooksOf, database: { db }, options }: Stage,
  findings: Findings,
): Promise<void> {
  const others: { hooks: Hooks; webhook: string }[] = [];
  while (others.length < (options.isQuick ? quickEvents : events)) {
    const theirs = hooksOf((await createOrganization(db)).id);
    others.push({ hooks: theirs, webhook: (await theirs.make('ok', 1))[0]! });
  }
  const webhooks = others.map(({ webhook }) => webhook);
  const deliver = async (): Promise<number[]> => {
    const times: number[] = [];
    for (const { hooks: theirs, webhook } of others) {
      const startedAtMs = performance.now();
      await theirs.emit(1);
      await theirs.drained([webhook], options.signal);
      times.push(performance.now() - startedAtMs);
      await sleep(pauseMs, undefined, { signal: options.signal });
    }
    return times;
  };
  // Starts the workflows.
  await deliver();
  await hooks.asleep(webhooks, options.signal);
  const alone = await deliver();
  await hooks.asleep(webhooks, options.signal);
  const busy = await hooks.make('ok', busyWebhooks);
  const each = options.isQuick ? quickDeliveriesOfEach : deliveriesOfEach;
  await hooks.fill(busy, each);
  await hooks.wake(busy);
  const beside = await deliver();
  console.log('  beside', beside.map(Math.round).join(' '));
  const { rows } = await db.query<{ left: number }>(
    `select count(*) as left from deliveries where webhook_id = any($1::uuid[]) and status = 'pending'`,
    [busy],
  );
  console.log(`  ${count(rows[0]!.left)} of ${count(busyWebhooks * each)} deliveries of the busy webhooks are left`);
  await hooks.drained(busy, options.signal);
  await hooks.clear();
  const delayMs = percentile(beside, 0.99) - percentile(alone, 0.5);
  findings.add({
    id: 'W2',
    what: `from an event to its answer, beside ${busyWebhooks} busy webhooks of another organization: delay of p99`,
    figure: `${milliseconds(delayMs)}; p50 ${milliseconds(percentile(beside, 0.5))}`,
    baseline: `p50 ${milliseconds(percentile(alone, 0.5))}, p99 ${milliseconds(percentile(alone, 0.99))}`,
    ratio: '',
    goal: `≤ ${mostMs} ms`,
    isMet: delayMs <= mostMs,
  });
}
