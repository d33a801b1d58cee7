import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db/connection/database.ts';
import { count } from './figures.ts';
import type { Seen } from './wrk.ts';

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
  const deadline = performance.now() + drainDeadlineMs;
  for (;;) {
    const response = await fetch(`${edgeUrl}/.well-known/waymark/readyz`);
    if (((await response.json()) as { journal: { lagMs: number } }).journal.lagMs === 0) break;
    if (performance.now() > deadline) return `clicks are not in the database after ${drainDeadlineMs / 1_000} s`;
    await sleep(pollMs);
  }
  return compareClicks(sql, requests, requests + connections);
}

/** Compares the clicks in the database, which may be `least` up to `most`, with their counts, and removes them all. */
export async function compareClicks(sql: Sql, least: number, most = least): Promise<string | undefined> {
  const { rows } = await sql.query<Record<'clicks' | 'ids' | 'counters' | 'rollups', number>>(
    `select count(*) as clicks, count(distinct id) as ids,
       (select coalesce(sum(clicks), 0)::bigint from link_counters) as counters,
       (select coalesce(sum(number), 0)::bigint from click_days, unnest(quarters) as number) as rollups
     from clicks`,
  );
  await forgetClicks(sql);
  const { clicks, ids, counters, rollups } = rows[0]!;
  const areOne = ids === clicks && counters === clicks && rollups === clicks;
  if (clicks >= least && clicks <= most && areOne) return undefined;
  return `clients counted ${count(least)} redirects, and there are ${JSON.stringify(rows[0])}`;
}

/** Removes all clicks and counts. */
export async function forgetClicks(sql: Sql): Promise<void> {
  await sql.query('truncate clicks, link_counters, click_days');
}
