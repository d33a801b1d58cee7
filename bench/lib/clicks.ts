import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db/connection/database.ts';
import { count } from './figures.ts';
import type { Seen } from './wrk.ts';

interface Counts {
  clicks: number;
  ids: number;
  counters: number;
  rollups: number;
}

const drainDeadlineMs = 120_000;
const pollMs = 100;

/**
 * Waits until an edge has shipped its journal, then compares the clicks in the database with the client's count, and
 * removes them for the next run.
 * @param edgeUrl address of the edge.
 * @param seen of the client. Visits that were under way when it ended, one on each connection at most, may count or not.
 * @returns the mismatch, or undefined.
 */
export async function checkClicks(
  sql: Sql,
  edgeUrl: string,
  { requests }: Pick<Seen, 'requests'>,
  connections: number,
): Promise<string | undefined> {
  if (!(await untilShipped(edgeUrl))) return `clicks are not in the database after ${drainDeadlineMs / 1_000} s`;
  const found = await readCounts(sql);
  await forgetClicks(sql);
  const isMatch = found.clicks >= requests && found.clicks <= requests + connections;
  const isOne = found.ids === found.clicks && found.counters === found.clicks && found.rollups === found.clicks;
  if (isMatch && isOne) return undefined;
  return (
    `clients counted ${count(requests)} redirects, and there are ${count(found.clicks)} clicks with ${count(found.ids)} ids, ` +
    `${count(found.counters)} in the counters, ${count(found.rollups)} in the statistics`
  );
}

/** Removes all clicks and counts. */
export async function forgetClicks(sql: Sql): Promise<void> {
  await sql.query('truncate clicks, link_counters, click_days');
}

/** Waits until an edge has shipped its journal; false: it takes too long. */
export async function untilShipped(edgeUrl: string): Promise<boolean> {
  const deadline = performance.now() + drainDeadlineMs;
  while ((await shippingLagMs(edgeUrl)) > 0) {
    if (performance.now() > deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

async function shippingLagMs(edgeUrl: string): Promise<number> {
  const response = await fetch(`${edgeUrl}/.well-known/waymark/readyz`);
  return ((await response.json()) as { journal: { lagMs: number } }).journal.lagMs;
}

async function readCounts(sql: Sql): Promise<Counts> {
  const { rows } = await sql.query<Counts>(
    `select count(*) as clicks, count(distinct id) as ids,
       (select coalesce(sum(clicks), 0)::bigint from link_counters) as counters,
       (select coalesce(sum(number), 0)::bigint from click_days, unnest(quarters) as number) as rollups
     from clicks`,
  );
  return rows[0]!;
}
