import { once } from 'node:events';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { clickColumns } from '#core/clicks/click.ts';
import { quarterMs, quartersPerDay } from '#core/stats/plan.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { migrate } from '#db/migrations/migrate.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { monthTable } from '#db/clicks/partitions.ts';
import { addToDayCounts, type OrganizationClicks } from '#db/stats/day-counts.ts';
import { rollDay, rollWeek } from '#db/stats/rollups.ts';
import { readBreakdown } from '#db/stats/query.ts';
import { startBenchPostgres } from '#bench/lib/database.ts';
import { count } from '#bench/lib/figures.ts';
import { createClickSource, ids, linksEach, organizations, type Size } from './clicks.ts';

/** Days that the clicks are spread over; the last one has not ended. */
export const days = 60;

const msPerDay = 86_400_000;
const linesPerWrite = 1_000;
const organizationsPerStatement = 50;
// So long after the last click, every quarter of an hour may be counted by value.
const laterMs = 120_000;
const leastPerDay = 500;

/**
 * Fills an empty database with clicks up to `endMs` (Unix, milliseconds), copied before the indexes exist, and with their
 * counts by the product's own code.
 */
export async function fillWithClicks(url: string, size: Size, endMs: number, signal: AbortSignal): Promise<void> {
  await migrate(url);
  const db = createDatabase({ url, applicationName: 'waymark bench' });
  try {
    const step = createSteps();
    await makeLinks(db);
    step(`${count(organizations * linksEach)} links made`);
    const perDay = await copyClicks(db, size, endMs, { signal, step });
    const firstDay = dayOf(endMs - days * msPerDay);
    await countQuarters(db, perDay, firstDay);
    step('days counted');
    const rolled = await rollDays(db, perDay, { startMs: firstDay * msPerDay, endMs }, signal);
    step(`${count(rolled)} days counted by value`);
    await db.query('vacuum analyze');
    step('vacuumed');
  } finally {
    await db.close();
  }
}

/** Opens a fresh database in `folder`, with the links whose clicks are measured; `closing` ends it. */
export async function openFilledDatabase(folder: string, closing: AsyncDisposableStack): Promise<Database> {
  const postgres = await startBenchPostgres(join(folder, 'data'));
  closing.defer(async () => void (await postgres.stop()));
  await migrate(postgres.url);
  const db = createDatabase({ url: postgres.url, applicationName: 'waymark bench' });
  closing.defer(() => db.close());
  await makeLinks(db);
  return db;
}

/** Each organization has a folder, a domain and as many links. */
async function makeLinks(db: Database): Promise<void> {
  const numbers = Array.from({ length: organizations }, (_, organization) => organization);
  await db.transaction(async (tx) => {
    await tx.query(`create temporary table bench_organizations on commit drop as
      select 0::int as number, null::uuid as id, null::uuid as folder_id, null::uuid as domain_id limit 0`);
    await tx.query(
      'insert into bench_organizations select * from unnest($1::int[], $2::uuid[], $3::uuid[], $4::uuid[])',
      [numbers, numbers.map(ids.organization), numbers.map(ids.folder), numbers.map(ids.domain)],
    );
    await tx.query(`insert into organizations (id, name, plan)
      select id, 'Organization ' || number, 'premium' from bench_organizations`);
    await tx.query(`insert into folders (id, organization_id, name, name_key, color, is_default)
      select folder_id, id, 'Links', 'links', '#112233', true from bench_organizations`);
    await tx.query(`insert into domains (id, organization_id, domain, is_verified, txt_record)
      select domain_id, id, 'go' || number || '.example', true, 'waymark-verify=bench' from bench_organizations`);
    // The references are valid; checking each one would take longer than the rest.
    await tx.query(`set local session_replication_role = 'replica'`);
    const links = Array.from({ length: linksEach }, (_, link) => link);
    for (const organization of numbers) {
      await tx.query({
        name: 'bench-links',
        text: `insert into short_links (id, organization_id, domain_id, folder_id, slug)
          select l.id, o.id, o.domain_id, o.folder_id, 'link-' || l.number
          from bench_organizations o, unnest($2::uuid[], $3::int[]) l (id, number) where o.number = $1`,
        values: [organization, links.map((link) => ids.link(organization, link)), links],
      });
    }
  });
}

/** @returns clicks by quarter of an hour, from the first day's midnight on, of each organization. */
async function copyClicks(
  db: Database,
  size: Size,
  endMs: number,
  { signal, step }: { signal: AbortSignal; step: (done: string) => void },
): Promise<Int32Array[]> {
  const startMs = endMs - days * msPerDay;
  const dayMs = dayOf(startMs) * msPerDay;
  const counts = Array.from({ length: organizations }, () => new Int32Array((days + 1) * quartersPerDay));
  const source = createClickSource(size);
  const timeOf = (click: number): number => Math.floor(startMs + (click / size.clicks) * (endMs - startMs));
  for (let click = 0; click < size.clicks;) {
    const month = timeText(timeOf(click)).slice(0, 7);
    const nextMs = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
    const client = await db.pool.connect();
    try {
      await client.query('begin');
      await client.query('select create_click_month($1)', [month]);
      const copy = client.query(copyFrom(`copy ${monthTable(month)} (${clickColumns.join(', ')}) from stdin`));
      while (click < size.clicks && timeOf(click) < nextMs) {
        signal.throwIfAborted();
        let lines = '';
        for (let line = 0; line < linesPerWrite && click < size.clicks && timeOf(click) < nextMs; line += 1) {
          const [pick, timeMs] = [source.pick(), timeOf(click)];
          lines += source.line(pick, timeMs);
          counts[pick.organization]![Math.floor((timeMs - dayMs) / quarterMs)]! += 1;
          click += 1;
        }
        if (!copy.write(lines)) await once(copy, 'drain');
      }
      copy.end();
      await finished(copy);
      await client.query('commit');
      step(`${count(click)} of ${count(size.clicks)} clicks copied`);
      // Attaching creates the indexes that all partitions have.
      await client.query(`begin; set local maintenance_work_mem = '1GB'`);
      await client.query('select attach_click_month($1)', [month]);
      await client.query('commit');
      step('indexed');
    } finally {
      client.release(true);
    }
  }
  return counts;
}

async function countQuarters(db: Database, counts: readonly Int32Array[], firstDay: number): Promise<void> {
  const names = Array.from({ length: days + 1 }, (_, day) => timeText((firstDay + day) * msPerDay).slice(0, 10));
  for (let from = 0; from < counts.length; from += organizationsPerStatement) {
    const added: OrganizationClicks[] = [];
    for (const [index, quarters] of counts.slice(from, from + organizationsPerStatement).entries()) {
      const organizationId = ids.organization(from + index);
      for (const [place, clicks] of quarters.entries()) {
        if (clicks === 0) continue;
        const day = names[Math.floor(place / quartersPerDay)]!;
        added.push({ organizationId, day, quarter: place % quartersPerDay, clicks });
      }
    }
    await db.transaction((tx) => addToDayCounts(tx, added));
  }
}

/** Counts by value every day that statistics of all organizations would count. @returns how many days. */
async function rollDays(
  db: Database,
  counts: readonly Int32Array[],
  range: { startMs: number; endMs: number },
  signal: AbortSignal,
): Promise<number> {
  // Smaller organizations have no day with enough clicks to be counted by value.
  const mostClicks = counts
    .map((quarters, organization) => ({ organization, clicks: quarters.reduce((sum, clicks) => sum + clicks, 0) }))
    .filter(({ clicks }) => clicks / days > leastPerDay);
  const filters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };
  const em = createEntityManager(db);
  let rolled = 0;
  const lane = async (own: readonly { organization: number }[]): Promise<void> => {
    for (const { organization } of own) {
      const organizationId = ids.organization(organization);
      const asked = {
        organizationId,
        range,
        filters,
        groupBy: 'country',
        limit: 1,
        nowMs: range.endMs + laterMs,
      } as const;
      const { rolls } = await readBreakdown(db, asked);
      for (const day of rolls.days) {
        signal.throwIfAborted();
        await rollDay(em, organizationId, day);
        rolled += 1;
      }
      for (const week of rolls.weeks) await rollWeek(em, organizationId, week);
    }
  };
  await Promise.all([0, 1].map((rest) => lane(mostClicks.filter((_, index) => index % 2 === rest))));
  return rolled;
}

function createSteps(): (done: string) => void {
  let startedAt = performance.now();
  return (done) => {
    const now = performance.now();
    console.log(`  ${done} (${((now - startedAt) / 1_000).toFixed(1)} s)`);
    startedAt = now;
  };
}

function dayOf(ms: number): number {
  return Math.floor(ms / msPerDay);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
