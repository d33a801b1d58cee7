import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '#bench/lib/bench.ts';
import { emptyLinks, makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import { count } from '#bench/lib/figures.ts';
import { interleave, type Measured, type Run } from '#bench/lib/interleave.ts';
import { createScript } from '#bench/lib/lua.ts';
import { createStage, noRateLimits, type Target } from '#bench/lib/stage.ts';
import type { Seen } from '#bench/lib/wrk.ts';

const knownLinks = 1_000;
const connections = 32;
const linksPerBulk = 100;
// Calls that were under way when the client ended have ended by then.
const settleMs = 500;
// The rate of Kutt on the machine of the last figures.
const wantedPerSecond = 1_000;
const wantedBulk = 2_000;
const mostP99Ms = 120;
const mostAloneMs = 8;

const url = `"https://example.com/" .. run .. "/" .. n`;
const oneBody = `'{"destination":{"type":"link","value":"' .. ${url} .. '"}}'`;
const bulkBody = `(function()
  local rows = {}
  for i = 1, ${linksPerBulk} do
    rows[i] = '{"destination":{"type":"link","value":"' .. ${url} .. "-" .. i .. '"}}'
  end
  return '{"links":[' .. table.concat(rows, ",") .. "]}"
end)()`;
const [aloneName, bulkName] = ['one client', 'one client, 100 links a call'];

/** Measures links made per second, each with a scan of its destination: C1, and C2 in bulk. */
export const bench: Bench = async (options, report) => {
  // One organization makes the links of a whole day of many: past its budget no verdict would be known within the call.
  await using stage = await createStage(options, { settings: { ...noRateLimits, THREAT_SCANS_PER_DAY: '1000000000' } });
  const { database } = stage;
  const { db } = database;
  // Gives the planner statistics, as autovacuum does a minute after the first links; they stay when rows go.
  await makeLinks(database, numberedSlugs('s', knownLinks));
  await emptyLinks(database);
  await stage.start('worker');
  const env = { DATABASE_URL: database.url };
  const bare = await stage.start('bench/bare-fastify.ts', { name: 'bare, one INSERT', env, isMeasured: true });
  const api = await stage.start('api', { isMeasured: true });

  let since = new Date();
  /** Calls under way at the end of a client, one on each connection at most, may have created links. */
  const checkLinks = async ({ requests }: Seen, atOnce: number, each: number): Promise<string | undefined> => {
    await sleep(settleMs);
    const { rows } = await db.query<Record<'links' | 'destinations' | 'events', number>>(
      `with made as materialized (select id from short_links where created_at >= $1)
       select count(*) as links,
         (select count(*) from destinations where link_id in (select id from made)) as destinations,
         (select count(*) from events where link_id in (select id from made)) as events
       from made`,
      [since],
    );
    const { links, destinations, events } = rows[0]!;
    await emptyLinks(database);
    await sleep(settleMs);
    since = new Date();
    const isMatch = links >= requests * each && links <= (requests + atOnce) * each;
    if (isMatch && destinations === links && events === links) return undefined;
    return `clients counted ${count(requests * each)} links, and there are ${JSON.stringify(rows[0])}`;
  };
  const checkBare = async ({ requests }: Seen): Promise<string | undefined> => {
    await sleep(settleMs);
    const { rows } = await db.query<{ made: number }>('select count(*) as made from bare_links');
    await db.query('truncate bare_links');
    const { made } = rows[0]!;
    const isMatch = made >= requests && made <= requests + connections;
    return isMatch ? undefined : `clients counted ${count(requests)} rows, and there are ${count(made)}`;
  };
  const headers = { 'X-Api-Key': database.apiKey };
  const oneScript = createScript({ path: '/short-link', body: oneBody, headers });
  const bulkScript = createScript({ path: '/short-link/bulk', body: bulkBody, headers });
  const runOf = (name: string, target: Target, atOnce: number, isBulk = false): Run => ({
    name,
    load: { url: target.url, connections: atOnce, script: isBulk ? bulkScript : oneScript },
    check: (seen) => checkLinks(seen, atOnce, isBulk ? linksPerBulk : 1),
  });
  const runs: Run[] = [
    { ...runOf(bare.name, bare, connections), check: checkBare },
    runOf(api.name, api, connections),
    runOf(aloneName, api, 1),
    runOf(bulkName, api, 1, true),
  ];
  if (options.beside !== undefined) {
    const other = await stage.start('api', { name: 'API of the other', isMeasured: true, checkout: options.beside });
    runs.push(runOf(other.name, other, connections));
  }
  const measured = await interleave(runs, options.timing, options);
  const of = (name: string): Measured => measured.get(name)!;
  const ratesOf = ({ perSecond, mismatch }: Measured, each = 1): number[] => {
    if (mismatch !== undefined) report.mismatch(mismatch);
    return mismatch === undefined ? perSecond.map((rate) => rate * each) : [];
  };
  const own = of(api.name);
  report.baseline(of(bare.name), 'perSecond');
  report.ratio({ id: 'C1', what: 'creates, beside bare Fastify with one INSERT', of: own, to: of(bare.name) });
  if (options.beside !== undefined)
    report.ratio({ id: 'C1', what: `creates, beside ${options.beside}`, of: own, to: of('API of the other') });
  report.rate({ id: 'C1', what: `creates, ${connections} at once`, rates: ratesOf(own), wanted: wantedPerSecond });
  report.time({ id: 'C1', what: `p99, ${connections} at once`, of: own, by: 'p99Ms', mostMs: mostP99Ms });
  report.time({ id: 'C1', what: `p50, ${aloneName}`, of: of(aloneName), by: 'p50Ms', mostMs: mostAloneMs });
  const bulk = ratesOf(of(bulkName), linksPerBulk);
  report.rate({ id: 'C2', what: `links, ${bulkName}`, rates: bulk, wanted: wantedBulk });
};
