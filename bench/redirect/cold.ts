import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { linkTransaction } from '#commands/links/create/create.ts';
import { updateLink } from '#commands/links/change/update.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { checkClicks, forgetClicks } from '#bench/lib/clicks.ts';
import { linkHost, site } from '#bench/lib/database.ts';
import { milliseconds, percentile } from '#bench/lib/figures.ts';
import { visitScript } from '#bench/lib/lua.ts';
import type { Report } from '#bench/lib/report.ts';
import { userAgents } from '#bench/lib/user-agents.ts';
import { wrk } from '#bench/lib/wrk.ts';
import type { RedirectStage } from './stage.ts';

const visitors = 500;
const repeats = 20;
const quickRepeats = 3;
// PostgreSQL's word for a run of the statement that reads links.
const readLine = 'execute compiled-links:';
const logSettleMs = 200;
const edits = 200;
const quickEdits = 20;
const gapMs = 30;
const pollMs = 1;
const lateMs = 5_000;
const mostMs = 1_000;

/** Counts the queries of many simultaneous visitors of a link that is not in memory: R7. */
export async function measureCold(stage: RedirectStage, report: Report): Promise<void> {
  const { database, slugs, options } = stage;
  let reads = 0;
  const countReads = (line: string): void => void (line.includes(readLine) && (reads += 1));
  stage.postgresListeners.add(countReads);
  // For the connections that the next edge will make: its server otherwise logs only what ends it.
  await database.db.query(`alter role waymark set log_min_messages = 'log'`);
  await database.db.query(`alter role waymark set log_statement = 'all'`);
  const edge = await stage.edge();
  const pool = new Pool(edge.url, { connections: visitors, pipelining: 1 });
  const visitAtOnce = async (slug: string): Promise<void> => {
    const statuses = await Promise.all(Array.from({ length: visitors }, () => visit(pool, slug, 'GET')));
    const wrong = statuses.filter(({ status }) => status !== 302);
    if (wrong.length > 0) throw new Error(`${wrong.length} of ${visitors} visitors were not redirected`);
  };
  const cold = slugs.slice(0, options.isQuick ? quickRepeats : repeats);
  const counts: number[] = [];
  // Opens the connections, so that the requests come together later, and brings the domain into memory.
  await visitAtOnce(slugs.at(-1)!);
  for (const slug of cold) {
    await sleep(logSettleMs);
    reads = 0;
    await visitAtOnce(slug);
    await sleep(logSettleMs);
    counts.push(reads);
  }
  await pool.close();
  const mismatch = await checkClicks(database.db, edge.url, { requests: (cold.length + 1) * visitors }, 0);
  if (mismatch !== undefined) report.mismatch(mismatch);
  await edge.stop();
  stage.postgresListeners.delete(countReads);
  await database.db.query('alter role waymark reset all');
  report.add({
    id: 'R7',
    what: `queries for ${visitors} visitors at once of a cold link`,
    figure: `${Math.max(...counts)} at most in ${cold.length} tries`,
    goal: '1',
    isMet: counts.every((count) => count === 1),
  });
}

/** Measures how long two edges, one of them under load, answer with the previous state of an edited link: R7. */
export async function measureEdits(stage: RedirectStage, report: Report): Promise<void> {
  const { database, slugs, ids, options } = stage;
  const em = createEntityManager(database.db);
  const edges = [await stage.edge(), await stage.edge()];
  const pools = edges.map(({ url }) => new Pool(url));
  const script = visitScript({ host: linkHost, paths: { random: slugs }, pauseMs: 10 });
  const over = new AbortController();
  const load = (async () => {
    while (!over.signal.aborted) await wrk({ url: edges[0]!.url, script, connections: 16 }, 1, options.folder);
  })();
  const untilSeen = async (pool: Pool, slug: string, location: string): Promise<number> => {
    const deadline = performance.now() + lateMs;
    // HEAD does not count as a click.
    while ((await visit(pool, slug, 'HEAD')).location !== location) {
      if (performance.now() > deadline) throw new Error(`an edge does not see an edit after ${lateMs} ms`);
      await sleep(pollMs);
    }
    return performance.now();
  };
  const times: number[] = [];
  try {
    for (const [edit, slug] of slugs.slice(0, options.isQuick ? quickEdits : edits).entries()) {
      options.signal.throwIfAborted();
      const location = `https://example.com/edited/${edit}`;
      await Promise.all(pools.map((pool) => visit(pool, slug, 'HEAD')));
      const { destination } = createLinkSchema.parse({ destination: { type: 'link', value: location } });
      const change = { id: ids.get(slug)!, patch: { destination } };
      await em.transactional(
        (em) => updateLink(em, database.actor, change, { site, now: new Date() }),
        linkTransaction,
      );
      const committedAt = performance.now();
      const seenAt = await Promise.all(pools.map((pool) => untilSeen(pool, slug, location)));
      times.push(...seenAt.map((at) => at - committedAt));
      await sleep(gapMs);
    }
  } finally {
    over.abort();
    await load;
    await Promise.all(pools.map((pool) => pool.close()));
    await Promise.all(edges.map((edge) => edge.stop()));
  }
  await forgetClicks(database.db);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  const beside = `median ${milliseconds(p50)}`;
  report.most({ id: 'R7', what: `an edit is visible, p99 of ${times.length}`, ms: p99, mostMs, beside });
}

let turn = 0;

async function visit(pool: Pool, slug: string, method: 'GET' | 'HEAD'): Promise<{ status: number; location: unknown }> {
  const userAgent = userAgents[(turn += 1) % userAgents.length]!;
  const requested = { method, path: `/${slug}`, headers: { host: linkHost, 'user-agent': userAgent } };
  const { statusCode, headers, body } = await pool.request(requested);
  await body.dump();
  return { status: statusCode, location: headers.location };
}
