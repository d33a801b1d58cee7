import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEntityManager } from '#db/connection/orm.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { migrate } from '#db/migrations/migrate.ts';
import { readReport } from '#db/stats/report.ts';
import { rollDay, rollWeek } from '#db/stats/rollups.ts';
import { startBenchPostgres } from '#bench/lib/database.ts';
import { benchLinks, type ClickFill, days, fillWithClicks } from '#bench/lib/fill.ts';

/** Clicks of a thousand organizations, a few of which have most of them. */
export interface Population extends ClickFill {
  /** Clicks of the first organization, about. */
  largest: number;
}

const organizations = 1_000;
const linksEach = 200;
// The tag of these links has about half of an organization's clicks.
const taggedLinks = 24;
// Of the first organization, unless said otherwise, and of the first link of the second one.
const largestClicks = 400_000;
const hottestClicks = 738_000;
// Largest share of the clicks that one organization may have.
const mostShare = 0.4;
// Smaller organizations have no day with enough clicks to be counted by value.
const leastPerDay = 500;
// So long after the last click, every quarter of an hour may be counted by value.
const laterMs = 120_000;
// Version of the population: a new number discards kept databases.
const form = 4;
const msPerDay = 86_400_000;

const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');
const benchId = (kind: number, owner: string, item: string): string => `${hex(kind, 8)}-0000-0000-${owner}-${item}`;
const idOf = (kind: number) => (organization: number) => benchId(kind, hex(organization, 4), hex(0, 12));

/** Ids that contain the number of their organization. */
export const ids = {
  organization: idOf(1),
  folder: idOf(2),
  domain: idOf(3),
  hottestLink: benchId(4, hex(1, 4), hex(0, 12)),
  tag: benchId(5, hex(0, 4), hex(0, 12)),
};

export function populationOf(clicks: number, endMs = Date.now(), mostOfOne = largestClicks): Population {
  const [largest, hottest] = [mostOfOne, hottestClicks].map((most) => Math.min(most, clicks * mostShare));
  const [first, second] = [largest! / clicks, (largest! + hottest!) / clicks];
  const linkOf = `b.owner = case when r < ${first} then 0 when r < ${second} then 1
      else 2 + floor(${organizations - 2} * t ^ 1.5)::int end
    and b.number = case when r >= ${first} and r < ${second} then 0 else floor(${linksEach} * s ^ 3)::int end`;
  return { clicks, endMs, largest: largest!, linkOf };
}

/** Opens a fresh database in `folder`, with the links of the population and without clicks; `closing` ends it. */
export async function openLinks(folder: string, closing: AsyncDisposableStack): Promise<Database> {
  const postgres = await startBenchPostgres(folder);
  closing.defer(async () => void (await postgres.stop()));
  await migrate(postgres.url);
  const db = createDatabase({ url: postgres.url, applicationName: 'waymark bench' });
  closing.defer(() => db.close());
  const { rowCount } = await db.query(`select from pg_tables where tablename = 'bench_links'`);
  if (rowCount === 0) await makeLinks(db);
  return db;
}

/** Each organization has a folder, a domain and as many links. */
async function makeLinks(db: Database): Promise<void> {
  const id = (kind: number, item = '0'): string =>
    `('${hex(kind, 8)}-0000-0000-' || lpad(to_hex(o), 4, '0') || '-' || lpad(to_hex(${item}), 12, '0'))::uuid`;
  const all = `generate_series(0, ${organizations - 1}) o`;
  await db.query(benchLinks);
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into organizations (id, name, plan) select ${id(1)}, 'Organization ' || o, 'premium' from ${all}`,
    );
    await tx.query(`insert into folders (id, organization_id, name, name_key, color, is_default)
      select ${id(2)}, ${id(1)}, 'Links', 'links', '#112233', true from ${all}`);
    await tx.query(`insert into domains (id, organization_id, domain, is_verified, txt_record)
      select ${id(3)}, ${id(1)}, 'go' || o || '.example', true, 'waymark-verify=bench' from ${all}`);
    await tx.query(`insert into bench_links select o, n, ${id(4, 'n')}, ${id(1)}, ${id(3)}, ${id(2)},
      case when n < ${taggedLinks} then '{${ids.tag}}' else '{}' end::uuid[], case when o < 2 then 300000 else 10000 end
      from ${all}, generate_series(0, ${linksEach - 1}) n`);
    // The references are valid; checking each one would take longer than the rest.
    await tx.query(`set local session_replication_role = 'replica'`);
    await tx.query(`insert into short_links (id, organization_id, domain_id, folder_id, slug)
      select id, organization_id, domain_id, folder_id, 'link-' || number from bench_links`);
  });
  await db.query('vacuum analyze');
}

/** Opens a database with so many clicks, which are made once and kept in a folder below `parent` for the next runs. */
export async function openClicks(
  parent: string,
  clicks: number,
  signal: AbortSignal,
  closing: AsyncDisposableStack,
): Promise<{ db: Database; population: Population }> {
  const folder = join(parent, `bench-stats-${clicks}`);
  const mark = join(folder, 'filled.json');
  const endMs = readMark(mark);
  if (endMs === undefined) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const db = await openLinks(folder, closing);
  const population = populationOf(clicks, endMs);
  if (endMs === undefined) {
    console.log(`  making clicks in ${folder}`);
    await fillWithClicks(db, population, signal);
    await countByValue(db, population);
    writeFileSync(mark, JSON.stringify({ form, endMs: population.endMs }));
  }
  return { db, population };
}

/** Counts by value every day that statistics of all organizations would count. */
async function countByValue(db: Database, { endMs }: Population): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    'select organization_id as id from clicks group by 1 having count(*) > $1',
    [leastPerDay * days],
  );
  const range = { startMs: firstMidnight(endMs), endMs };
  const filters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };
  const em = createEntityManager(db);
  for (const { id: organizationId } of rows) {
    const query = { organizationId, filters, groupBys: ['country'], limit: 1, nowMs: endMs + laterMs } as const;
    const { rolls } = await readReport(db, query, { range, points: [] }, undefined);
    for (const day of rolls.days) await rollDay(em, organizationId, day);
    for (const week of rolls.weeks) await rollWeek(em, organizationId, week);
  }
  await db.query('vacuum analyze');
}

/** The midnight (UTC) before the first click. */
export function firstMidnight(endMs: number): number {
  return Math.floor(endMs / msPerDay - days) * msPerDay;
}

/** @returns when the last click is; undefined where no population is kept, or another one. */
function readMark(path: string): number | undefined {
  try {
    const mark = JSON.parse(readFileSync(path, 'utf8')) as { form: number; endMs: number };
    return mark.form === form ? mark.endMs : undefined;
  } catch {
    return undefined;
  }
}
