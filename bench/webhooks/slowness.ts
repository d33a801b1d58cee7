import { setTimeout as sleep } from 'node:timers/promises';
import { milliseconds, percentile, ratioOf, spreadOf, describeRatio } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import type { Stage } from './stage.ts';

const wellEndpoints = 98;
const eventsPerSecond = 5;
const settleMs = 1_000;
const mostMs = 1_500;

/** W1, 6.6: measures deliveries to 98 endpoints, alone and beside one that hangs and one that answers 500. */
export async function measureSlowness(stage: Stage, findings: Findings): Promise<void> {
  const { hooks, options } = stage;
  const { rounds, seconds } = options.timing;
  console.log(
    `W1: ${wellEndpoints} endpoints, ${eventsPerSecond} events a second, with and without dead ones beside them`,
  );
  const well = await hooks.make('ok', wellEndpoints);
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const p99 = async (): Promise<number> => {
      await emitPaced(stage, seconds);
      await hooks.drained(well, options.signal);
      const found = await lags(stage, well);
      await hooks.empty();
      return percentile(found, 0.99);
    };
    // Wakes the workflows: waking a hundred idle ones at a time takes Temporal seconds.
    await p99();
    const without = await p99();
    const dead = [...(await hooks.make('hang', 1)), ...(await hooks.make('fail', 1))];
    const withDead = await p99();
    await stage.database.db.query('update webhooks set deleted_at = now() where id = any($1::uuid[])', [dead]);
    await hooks.wake(dead);
    await sleep(settleMs);
    console.log(`  round ${round}: p99 ${milliseconds(without)} without, ${milliseconds(withDead)} with dead ones`);
    if (round === 0) continue;
    alone.push(without);
    beside.push(withDead);
  }
  await hooks.clear();
  const ratio = ratioOf(beside, alone);
  findings.add({
    id: 'W1',
    what: `p99 from event to answer of ${wellEndpoints} endpoints, one hanging and one failing beside them`,
    figure: milliseconds(spreadOf(beside).median),
    baseline: milliseconds(spreadOf(alone).median),
    ratio: describeRatio(ratio),
    goal: `≤ ${mostMs} ms`,
    isMet: spreadOf(beside).median <= mostMs,
  });
}

async function emitPaced({ hooks, options }: Stage, seconds: number): Promise<void> {
  const startedAt = performance.now();
  for (let index = 0; index < seconds * eventsPerSecond; index += 1) {
    await hooks.emit(1);
    const dueMs = startedAt + ((index + 1) * 1_000) / eventsPerSecond - performance.now();
    await sleep(Math.max(0, dueMs), undefined, { signal: options.signal });
  }
}

/** Milliseconds from each event to the answer of its first attempt. */
async function lags({ database: { db } }: Stage, ids: readonly string[]): Promise<number[]> {
  const { rows } = await db.query<{ ms: number }>(
    `select (extract(epoch from a.at - e.created_at) * 1000)::float8 + a.duration_ms as ms
     from deliveries d join events e on e.id = d.event_id join delivery_attempts a on a.delivery_id = d.id and a.number = 1
     where d.webhook_id = any($1::uuid[])`,
    [ids],
  );
  return rows.map(({ ms }) => ms);
}
