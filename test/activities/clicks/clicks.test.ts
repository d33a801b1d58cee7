// @module-tag slow

import { beforeEach, describe, expect, test } from 'vitest';
import { createClickActivities } from '#activities/clicks/clicks.ts';
import { createPartitions } from '#db/clicks/partitions.ts';
import { rollDay, rollWeek } from '#db/stats/rollups.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import { asActivity } from '#test/support/activities.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import {
  countGroups,
  ingestClicks,
  readBreakdown,
  readTimeline,
  selectClicks,
  type TestClick,
  testClick,
} from '#test/support/stats.ts';

const day = 86_400_000;
const nowMs = Date.UTC(2024, 4, 20, 12);
const keptFromMs = Date.UTC(2024, 3, 20);
// Their Mondays; the kept days begin within the second.
const weeks = [8, 15, 22].map((dayOfApril) => Date.UTC(2024, 3, dayOfApril));
const firstMs = Date.UTC(2024, 2, 10);
const all = { startMs: Date.UTC(2020, 0, 1), endMs: nowMs + day };
const noFilters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };

let keptDays: number;
let organization: TestOrganization;
let linkIds: string[];
let domainId: string;
let clicks: TestClick[];

// Small batches, so that there are several.
const activities = (days: number) =>
  createClickActivities({ em: emOf(db), keptDays: days, now: () => nowMs, batchSize: 7 });

const db = useTestDatabase();
beforeEach(async () => {
  keptDays = 30;
  await db.query(
    'truncate clicks, click_days, click_rolls, click_values, click_week_rolls, click_week_values, link_counters',
  );
  organization = await createOrganization(db);
  domainId = (await createDomain(db, organization.id)).id;
  const link = { organizationId: organization.id, domainId, folderId: organization.folderId };
  linkIds = [(await createLink(db, link)).id, (await createLink(db, link)).id];
  const fail = (error: unknown): void => {
    throw error;
  };
  await createPartitions(db, fail).ensure(['2024-03', '2024-04'], nowMs);
  // Five a day, the first at midnight and the last in the day's last millisecond; one is older than any partition.
  clicks = [click(Date.UTC(2022, 0, 1)), ...daysUntilNow().flatMap((startMs) => clicksOf(startMs))];
  await ingestClicks(db, clicks);
});

const click = (clickedAtMs: number, index = 0): TestClick =>
  testClick({
    organizationId: organization.id,
    linkId: linkIds[index % 2]!,
    domainId,
    folderId: organization.folderId,
    clickedAtMs,
    country: ['DE', 'US', 'FR'][index % 3],
    visitor: String(index % 4).padStart(32, '0'),
  });
const clicksOf = (startMs: number): TestClick[] =>
  [0, 1, day / 2, day - 900_000, day - 1].map((offsetMs, index) => click(startMs + offsetMs, index));
const daysUntilNow = (): number[] =>
  Array.from({ length: Math.floor((nowMs - firstMs) / day) }, (_, index) => firstMs + index * day);

const query = (range = all, filters: object = {}) => ({
  organizationId: organization.id,
  range,
  filters: { ...noFilters, ...filters },
});
const total = async (range = all, filters: object = {}): Promise<number> =>
  (await readTimeline(createStatistics(db), query(range, filters), [range])).reduce((sum, count) => sum + count, 0);
const stored = async (): Promise<number> =>
  (await db.query<{ count: number }>('select count(*) as count from clicks')).rows[0]!.count;
const counters = async (): Promise<unknown> =>
  (await db.query('select link_id, clicks from link_counters order by 1')).rows;
const partitions = async (): Promise<string[]> =>
  (
    await db.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'clicks'::regclass order by 1`,
    )
  ).rows.map(({ name }) => name);

const daysOf = (monday: number): number[] => Array.from({ length: 7 }, (_, index) => monday + index * day);
const rolledWeeks = async (): Promise<string[]> =>
  (
    await db.query<{ week: string }>(
      'select distinct r.day::text as week from click_week_rolls r join click_week_values using (organization_id, day) order by 1',
    )
  ).rows.map(({ week }) => week);

async function run(): Promise<{ before: string | null; months: string[]; clicks: number }> {
  return asActivity(async () => {
    const { findFirstKeptDay, forgetClickDays, dropClickMonths, deleteOldClicks } = activities(keptDays);
    const before = await findFirstKeptDay();
    if (before === null) return { before, months: [], clicks: 0 };
    await forgetClickDays({ before });
    return { before, months: await dropClickMonths({ before }), clicks: await deleteOldClicks({ before }) };
  });
}

describe('deleteOldBotClicks', () => {
  test.each([
    [0, 10, Date.UTC(2024, 4, 10)],
    [5, 10, Date.UTC(2024, 4, 15)],
    [30, 0, Date.UTC(2024, 3, 20)],
    [0, 0, 0],
  ])('keeps visits of bots for the shorter time: clicks for %i days, bots for %i', async (days, bots, keptMs) => {
    await db.query('truncate bot_clicks');
    const visits = clicks.map((one): TestClick => ({ ...one, bot: 'crawler' }));
    await ingestClicks(db, visits);
    const kept = visits.filter(({ clickedAtMs }) => clickedAtMs >= keptMs).length;
    const { deleteOldBotClicks } = createClickActivities({
      em: emOf(db),
      keptDays: days,
      botsKeptDays: bots,
      now: () => nowMs,
      batchSize: 50,
    });
    expect(await asActivity(deleteOldBotClicks)).toBe(visits.length - kept);
    const { rows } = await db.query('select count(*)::int as count from bot_clicks');
    expect(rows).toEqual([{ count: kept }]);
    // Clicks have a time of their own.
    expect(await stored()).toBe(clicks.length);
  });
});

describe('clickRetention', () => {
  test('clickRetention removes whole days and months that are too old, and nothing else', async () => {
    const kept = clicks.filter(({ clickedAtMs }) => clickedAtMs >= keptFromMs);
    const countedBefore = await counters();
    // Days on both sides of the limit are counted by value, and the weeks around it added up.
    for (const startMs of [firstMs, nowMs - 2.5 * day, ...weeks.flatMap((monday) => daysOf(monday))]) {
      await rollDay(emOf(db), organization.id, { startMs, quarters: 96 });
    }
    for (const monday of weeks) await rollWeek(emOf(db), organization.id, monday);
    expect(await rolledWeeks()).toEqual(['2024-04-08', '2024-04-15', '2024-04-22']);
    expect(await total()).toBe(clicks.length);

    const result = await run();
    expect(result).toMatchObject({ before: '2024-04-20', months: ['2024-03'] });
    expect(result.clicks).toBe(19 * 5 + 1);
    expect(await partitions()).toEqual(['clicks_default', 'clicks_y2024m04', 'clicks_y2024m05', 'clicks_y2024m06']);
    expect(await stored()).toBe(kept.length);
    // Statistics, from counts and from clicks alike, are those of the clicks that are kept.
    const older = { startMs: all.startMs, endMs: keptFromMs };
    for (const filters of [{}, { shortLinkIds: [linkIds[0]!] }]) {
      expect(await total(older, filters)).toBe(0);
      for (const groupBy of ['country', 'shortLinks', 'uniqueVisitors'] as const) {
        const { rows, total: count } = await readBreakdown(createStatistics(db), {
          ...query(all, filters),
          groupBy,
          limit: 20,
          nowMs,
        });
        const wanted = selectClicks(kept, all, { ...noFilters, ...filters });
        expect(count).toBe(wanted.length);
        expect(rows.map(({ group, count: clicksOfGroup }) => ({ group, count: clicksOfGroup }))).toEqual(
          countGroups(wanted, groupBy),
        );
      }
    }
    for (const startMs of daysUntilNow().filter((at) => at >= keptFromMs)) {
      expect(await total({ startMs, endMs: startMs + day })).toBe(5);
    }
    const { rows } = await db.query('select from click_days where day < $1', ['2024-04-20']);
    expect(rows).toEqual([]);
    expect(await rolledWeeks()).toEqual(['2024-04-22']);
    // The link's own click count and its cap do not change.
    expect(await counters()).toEqual(countedBefore);

    expect(await run()).toMatchObject({ months: [], clicks: 0 });
    expect(await stored()).toBe(kept.length);
  });

  test('the next run removes old clicks that arrive late', { tags: 'nightly' }, async () => {
    await run();
    const before = await stored();
    await ingestClicks(db, [click(firstMs), click(keptFromMs - 1), click(keptFromMs)]);
    expect(await run()).toMatchObject({ months: [], clicks: 2 });
    expect(await stored()).toBe(before + 1);
    expect(await total()).toBe(before + 1);
  });

  test(
    'clickRetention runs beside incoming clicks, and waits for a partition in use',
    { tags: 'nightly' },
    async () => {
      const kept = clicks.filter(({ clickedAtMs }) => clickedAtMs >= keptFromMs).length;
      const reader = await db.pool.connect();
      await reader.query('begin');
      await reader.query('select count(*) from clicks');
      // Tried again, as Temporal does.
      const running = eventually(() => run().catch(() => undefined));
      await eventually(
        () => db.query(`select from pg_stat_activity where wait_event_type = 'Lock' and query ilike 'drop table%'`),
        ({ rowCount }) => rowCount === 1,
      );
      // Statements that wait behind the partition get through soon.
      for (let count = 0; count < 5; count += 1) await ingestClicks(db, clicksOf(keptFromMs));
      expect(await partitions()).toContain('clicks_y2024m03');
      await reader.query('commit');
      reader.release();
      expect(await running).toMatchObject({ months: ['2024-03'] });
      expect(await stored()).toBe(kept + 25);
      expect(await total()).toBe(kept + 25);
    },
  );

  test('clickRetention of 0 days keeps all clicks', async () => {
    keptDays = 0;
    expect(await run()).toMatchObject({ before: null, months: [], clicks: 0 });
    expect(await stored()).toBe(clicks.length);
  });
});
