import type { Bench } from '#bench/lib/bench.ts';
import { count } from '#bench/lib/figures.ts';
import { fillWithLinks } from '#bench/lib/fill.ts';
import { createStage, noRateLimits } from '#bench/lib/stage.ts';

const links = 1_000_000;
const quickLinks = 20_000;
// Of the newest links: a list without them has to pass all of them.
const archivedShare = 0.2;
const requestsEach = 200;
const quickRequestsEach = 10;
const quickMs = 50;
const slowMs = 1_000;

/** A list request, and a SQL condition of its links (`short_links l`). */
interface Query {
  name: string;
  query: string;
  matching: string;
  mostMs?: number;
}

const term = (search: string, mostMs?: number): Query => ({
  name: `search=${search}`,
  query: `search=${encodeURIComponent(search)}`,
  matching: `l.search_text like '%${search}%'`,
  mostMs,
});

const queries: readonly Query[] = [
  { name: 'all', query: '', matching: 'true' },
  { name: 'all, page 10', query: 'page=9', matching: 'true' },
  ...['g00abcd', '00abc', 'abc', 'large/g12345', 'large/g9999', 'nothing at all'].map((search) => term(search)),
  term('example', slowMs),
  term('12', slowMs),
];

/** Lists of an organization that has put its newest links away. */
const archiveQueries: readonly Query[] = [
  { name: 'all, the newest archived', query: '', matching: 'not l.is_archived', mostMs: slowMs },
  { name: 'the archive, page 10', query: 'isArchived=true&page=9', matching: 'l.is_archived', mostMs: slowMs },
];

/** Measures the list of an organization with a million links: L1. */
export const bench: Bench = async (options, report) => {
  const { signal, isQuick } = options;
  await using stage = await createStage(options, { hasTemporal: false, settings: noRateLimits });
  const { db, actor, apiKey } = stage.database;
  const size = isQuick ? quickLinks : links;
  const { rows } = await db.query<{ id: string }>('select id from domains where organization_id is null');
  await fillWithLinks(db, { organizationId: actor.organizationId, domainId: rows[0]!.id, links: size, prefix: 'g' });
  const { url } = await stage.start('api', { isMeasured: true });
  const measureQuery = async ({ name, query, matching, mostMs = quickMs }: Query): Promise<void> => {
    signal.throwIfAborted();
    const expected = await db.query<{ count: number }>(`select count(*) as count from short_links l where ${matching}`);
    const matches = expected.rows[0]!.count;
    const times: number[] = [];
    for (let round = 0; round <= (isQuick ? quickRequestsEach : requestsEach); round += 1) {
      const startedAt = performance.now();
      const response = await fetch(`${url}/short-link/list?${query}`, { headers: { 'x-api-key': apiKey } });
      const seen = (await response.json()) as { count: number };
      // The first request pays for planning its statements.
      if (round > 0) times.push(performance.now() - startedAt);
      if (seen.count !== matches) throw new Error(`${name}: ${JSON.stringify(seen)}, and there are ${matches}`);
    }
    report.p95({ id: 'L1', what: `${name} (${count(matches)})`, times, mostMs });
  };
  for (const query of queries) await measureQuery(query);
  await db.query(
    `update short_links set is_archived = true
     where id in (select id from short_links order by created_at desc, id desc limit $1)`,
    [size * archivedShare],
  );
  await db.query('vacuum analyze short_links');
  for (const query of archiveQueries) await measureQuery(query);
};
