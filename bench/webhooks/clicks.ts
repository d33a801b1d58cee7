import { linkHost } from '#bench/lib/database.ts';
import { count, milliseconds, percentile, spreadOf } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { visitScript } from '#bench/lib/lua.ts';
import { wrk } from '#bench/lib/wrk.ts';
import type { Stage } from './stage.ts';

const perSecond = 2_000;
const connections = 128;
const mostP99Ms = 1_000;
// Measured: wrk's timers count whole milliseconds, so a pause is this much longer than its script asks for.
const timerMs = 0.5;

/** Measures the time from a click to its delivery, at 2,000 clicks a second of one organization with one endpoint. */
export async function measureClicks(stage: Stage, findings: Findings): Promise<void> {
  const { hooks, options, slugs } = stage;
  console.log(`W1: ${count(perSecond)} clicks a second, each told to one endpoint`);
  const [id] = await hooks.make('ok', 1, ['link.clicked']);
  const edge = await stage.edge();
  const script = visitScript({
    host: linkHost,
    paths: { random: slugs },
    pauseMs: (connections * 1_000) / perSecond - timerMs,
  });
  const [p50s, p99s, rates]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= options.timing.rounds; round += 1) {
    const seen = await wrk({ url: edge.url, connections, script }, options.timing.seconds, options.folder);
    await hooks.drained([id!], options.signal);
    const lags = await clickLags(stage, id!);
    await hooks.empty();
    const [p50, p99] = [percentile(lags, 0.5), percentile(lags, 0.99)];
    console.log(
      `  round ${round}: ${count(seen.perSecond)} clicks/s, ${count(lags.length)} told; p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
    );
    if (round === 0) continue;
    p50s.push(p50);
    p99s.push(p99);
    rates.push(seen.perSecond);
  }
  await hooks.clear();
  const at = `at ${count(spreadOf(rates).median)} clicks a second`;
  const add = (what: string, values: readonly number[], mostMs?: number): void =>
    findings.add({
      id: 'W1',
      what: `${what} from click to answer ${at}`,
      figure: milliseconds(spreadOf(values).median),
      baseline: '',
      ratio: '',
      goal: mostMs === undefined ? '' : `≤ ${mostMs} ms`,
      isMet: mostMs === undefined ? null : spreadOf(values).median <= mostMs,
    });
  add('p50', p50s);
  add('p99', p99s, mostP99Ms);
}

/** Milliseconds from each click to the answer of its delivery; the event's id holds the time of the click. */
async function clickLags({ database: { db } }: Stage, webhookId: string): Promise<number[]> {
  const { rows } = await db.query<{ eventId: string; endMs: number }>(
    `select d.event_id as "eventId", (extract(epoch from a.at) * 1000)::float8 + a.duration_ms as "endMs"
     from deliveries d join delivery_attempts a on a.delivery_id = d.id and a.number = d.attempts
     where d.webhook_id = $1 and d.status = 'delivered'`,
    [webhookId],
  );
  return rows.map(({ eventId, endMs }) => endMs - Number.parseInt(eventId.replace('-', '').slice(0, 12), 16));
}
