import { describe, expect, test } from 'vitest';
import { createRollupQueue, type Rolls } from '#db/stats/rollup-queue.ts';
import { hideClicks, rollDay } from '#db/stats/rollups.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { deleteLink } from '#test/support/edge-factories.ts';
import { ingestClicks, readBreakdown, readTimeline } from '#test/support/stats.ts';
import { day, startMs, useRollupsScene } from './rollups-fixture.ts';

const hour = 3_600_000;
const nowMs = startMs + 3 * day;
const noRolls: Rolls = { days: [], weeks: [] };
const noFilters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };

const { db, organization, clicksOf, purge, loseClicks } = useRollupsScene();

const query = () => ({
  organizationId: organization.id,
  range: { startMs, endMs: startMs + 2 * day },
  filters: noFilters,
});
const statistics = createStatistics(db);
const breakdown = (groupBy: 'country' | 'city' | 'shortLinks' = 'country') =>
  readBreakdown(statistics, { ...query(), groupBy, limit: 20, nowMs });
const countries = async () => Object.fromEntries((await breakdown()).rows.map(({ group, count }) => [group, count]));
const total = async () =>
  (await readTimeline(statistics, query(), [{ startMs, endMs: startMs + 2 * day }])).reduce(
    (sum, count) => sum + count,
    0,
  );

describe('counts by quarter of an hour', () => {
  test('are added for any quarters in any order', async () => {
    const quarters = [40, 41, 12, 95, 0, 41];
    for (const quarter of quarters) {
      await ingestClicks(
        db,
        clicksOf(2, () => ({ clickedAtMs: startMs + quarter * 900_000 + 1 })),
      );
    }
    await loseClicks();
    const buckets = Array.from({ length: 96 }, (_, index) => ({
      startMs: startMs + index * 900_000,
      endMs: startMs + (index + 1) * 900_000,
    }));
    const counts = await readTimeline(statistics, query(), buckets);
    expect(counts.flatMap((count, index) => (count > 0 ? [[index, count]] : []))).toEqual([
      [0, 2],
      [12, 2],
      [40, 2],
      [41, 4],
      [95, 2],
    ]);
  });

  test('are exact where many transactions add to the same days at once, in any order', async () => {
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let round = 0; round < 5; round += 1) {
          const clicks = clicksOf(20, (index) => ({ clickedAtMs: startMs + (index % 2) * day }));
          await ingestClicks(db, worker % 2 === 0 ? clicks : clicks.toReversed());
        }
      }),
    );
    await loseClicks();
    expect(await total()).toBe(800);
  });
});

describe('counts by value', () => {
  test('are made for days with many clicks, and statistics read them instead of the clicks', async () => {
    await ingestClicks(db, clicksOf(1_200));
    await ingestClicks(
      db,
      clicksOf(30, (index) => ({ clickedAtMs: startMs + day + index })),
    );
    const { rolls } = await breakdown();
    expect(rolls).toEqual({ days: [{ startMs, quarters: 96 }], weeks: [] });
    await rollDay(emOf(db), organization.id, rolls.days[0]!);
    expect((await breakdown()).rolls).toEqual(noRolls);
    expect(await countries()).toEqual({ DE: 410, US: 820 });
    await loseClicks();
    expect(await countries()).toEqual({ DE: 400, US: 800 });
  });

  test('of today end with the last quarter that gets no more clicks', async () => {
    await ingestClicks(db, clicksOf(2_400));
    const atNoon = { ...query(), groupBy: 'country' as const, limit: 20, nowMs: startMs + 12 * hour };
    const { rolls } = await readBreakdown(statistics, atNoon);
    expect(rolls).toEqual({ days: [{ startMs, quarters: 47 }], weeks: [] });
    await rollDay(emOf(db), organization.id, rolls.days[0]!);
    expect(await countries()).toEqual({ DE: 800, US: 1_600 });
    await loseClicks();
    expect((await breakdown()).total).toBe(47 * 25);
  });

  test('leave out a dimension with too many values, or with too long ones', async () => {
    await ingestClicks(
      db,
      clicksOf(60, (index) => ({ city: `City ${index}` })),
    );
    await rollDay(emOf(db), organization.id, { startMs, quarters: 96 }, 50);
    expect((await breakdown('city')).rows).toHaveLength(20);
    expect((await breakdown('city')).total).toBe(60);
    await loseClicks();
    expect((await breakdown('city')).total).toBe(0);
    expect((await breakdown('shortLinks')).total).toBe(60);
  });

  test('are not used for a day that has as many other clicks', async () => {
    await ingestClicks(
      db,
      clicksOf(60, (index) => ({ linkId: organization.links[index % 2]! })),
    );
    await rollDay(emOf(db), organization.id, { startMs, quarters: 96 });
    await emOf(db).transactional(async (em) => {
      await deleteLink(em, organization.links[0]);
      await hideClicks(em, [organization.links[0]]);
    });
    expect(await purge(organization.links[0])).toBe(30);
    expect(await purge(organization.links[0])).toBe(0);
    expect(await countries()).toEqual({ US: 20, DE: 10 });
    const { rows } = await db.query('select from hidden_links where organization_id = $1', [organization.id]);
    expect(rows).toEqual([]);
    await ingestClicks(
      db,
      clicksOf(30, () => ({ linkId: organization.links[1], country: 'FR' })),
    );
    expect(await countries()).toEqual({ US: 20, DE: 10, FR: 30 });
  });

  test(
    'stay exact while clicks are ingested, days are counted and the clicks of a link are removed',
    { tags: 'slow' },
    async () => {
      await ingestClicks(
        db,
        clicksOf(400, () => ({ linkId: organization.links[1] })),
      );
      await emOf(db).transactional(async (em) => {
        await deleteLink(em, organization.links[1]);
        await hideClicks(em, [organization.links[1]]);
      });
      let ingested = 0;
      const done = new AbortController();
      const seen: [before: number, seen: number, after: number][] = [];
      const ingesting = async (): Promise<void> => {
        for (let round = 0; round < 30; round += 1) {
          await ingestClicks(db, clicksOf(10));
          ingested += 10;
        }
        done.abort();
      };
      const rolling = async (): Promise<void> => {
        while (!done.signal.aborted) await rollDay(emOf(db), organization.id, { startMs, quarters: 96 });
      };
      const looking = async (): Promise<void> => {
        while (!done.signal.aborted) {
          const before = ingested;
          const { total: count } = await breakdown();
          // A batch may be in the database before its shipper knows.
          seen.push([before, count, ingested + 10]);
        }
      };
      await Promise.all([ingesting(), rolling(), looking(), purge(organization.links[1])]);
      expect(seen.filter(([before, count, after]) => count < before || count > after)).toEqual([]);
      expect(await countries()).toEqual({ DE: 120, US: 180 });
      expect(await total()).toBe(300);
      await rollDay(emOf(db), organization.id, { startMs, quarters: 96 });
      expect(await countries()).toEqual({ DE: 120, US: 180 });
    },
  );
});

describe('the rollup queue', () => {
  test('counts the requested days, and ends when none waits', async () => {
    const errors: unknown[] = [];
    const roller = createRollupQueue(emOf(db), (error) => errors.push(error));
    await ingestClicks(db, clicksOf(1_200));
    const { rolls } = await breakdown();
    roller.ask(organization.id, rolls);
    roller.ask(organization.id, rolls);
    await roller.idle();
    expect((await breakdown()).rolls).toEqual(noRolls);
    await roller.close();
    roller.ask(organization.id, { days: [{ startMs, quarters: 1 }], weeks: [] });
    await roller.idle();
    expect(errors).toEqual([]);
  });

  test('reports a failure, and counts at the next request', async () => {
    const errors: unknown[] = [];
    const roller = createRollupQueue(emOf(db), (error) => errors.push(error));
    await ingestClicks(db, clicksOf(1_200));
    roller.ask('no organization', { days: [{ startMs, quarters: 96 }], weeks: [] });
    await roller.idle();
    expect(errors).toHaveLength(1);
    roller.ask(organization.id, { days: [{ startMs, quarters: 96 }], weeks: [] });
    await roller.idle();
    expect((await breakdown()).rolls).toEqual(noRolls);
  });
});
