import { describe, expect, test } from 'vitest';
import { forgetDays } from '#db/clicks/retention.ts';
import type { Rolls } from '#db/stats/rollup-queue.ts';
import { hideClicks, rollDay, rollWeek } from '#db/stats/rollups.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import { deleteLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { ingestClicks, readBreakdown } from '#test/support/stats.ts';
import { day, startMs, useRollupsScene } from './rollups-fixture.ts';

const hour = 3_600_000;
const noRolls: Rolls = { days: [], weeks: [] };
const noFilters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };

const { db, organization, clicksOf, purge, loseClicks } = useRollupsScene();

describe('counts of weeks', () => {
  // It was a Monday.
  const monday = startMs;
  const week = { startMs: monday, endMs: monday + 7 * day };
  const later = week.endMs + hour;
  const read = (groupBy: 'country' | 'city' = 'country', range = week) =>
    readBreakdown(createStatistics(db, 1), {
      organizationId: organization.id,
      filters: noFilters,
      range,
      groupBy,
      limit: 20,
      nowMs: later,
    });
  const groups = async () => Object.fromEntries((await read()).rows.map(({ group, count }) => [group, count]));
  const onDays = (...days: number[]) =>
    days.flatMap((index) =>
      clicksOf(12, (click) => ({ clickedAtMs: monday + index * day + click, city: `City ${click % 3}` })),
    );
  const rollAll = async (): Promise<void> => {
    const { rolls } = await read();
    for (const one of rolls.days) await rollDay(emOf(db), organization.id, one);
    for (const one of rolls.weeks) await rollWeek(emOf(db), organization.id, one);
  };
  /** Leaves nothing to be read but counts of weeks, whatever the days had. */
  const loseDays = async (): Promise<void> => {
    await loseClicks();
    await db.query('delete from click_values where organization_id = $1', [organization.id]);
  };

  test('are added up from the days, and statistics read them instead of the days', async () => {
    await ingestClicks(db, onDays(0, 2, 6));
    expect((await read()).rolls).toEqual({
      days: [6, 2, 0].map((index) => ({ startMs: monday + index * day, quarters: 96 })),
      weeks: [monday],
    });
    await rollAll();
    expect((await read()).rolls).toEqual(noRolls);
    await loseDays();
    expect(await groups()).toEqual({ DE: 12, US: 24 });
    expect((await read('city')).rows.map(({ count }) => count)).toEqual([12, 12, 12]);
    // Of a part of the week nothing is there any more.
    expect((await read('country', { startMs: monday, endMs: week.endMs - 1 })).total).toBeLessThan(36);
  });

  test('are not added up while a day is not counted to its end', async () => {
    await ingestClicks(db, onDays(0, 1));
    await rollDay(emOf(db), organization.id, { startMs: monday, quarters: 96 });
    await rollDay(emOf(db), organization.id, { startMs: monday + day, quarters: 95 });
    await rollWeek(emOf(db), organization.id, monday);
    await rollDay(emOf(db), organization.id, { startMs: monday + day, quarters: 96 });
    expect((await read()).rolls).toEqual({ days: [], weeks: [monday] });
    await rollWeek(emOf(db), organization.id, monday + 7 * day);
    expect((await read()).rolls).toEqual({ days: [], weeks: [monday] });
  });

  test('are not used for a week that has as many other clicks', async () => {
    await ingestClicks(
      db,
      onDays(0, 1).map((click, index) => ({ ...click, linkId: organization.links[index % 2]! })),
    );
    await rollAll();
    await emOf(db).transactional(async (em) => {
      await deleteLink(em, organization.links[0]);
      await hideClicks(em, [organization.links[0]]);
    });
    expect((await read()).total).toBe(12);
    expect(await purge(organization.links[0])).toBe(12);
    await ingestClicks(
      db,
      onDays(3).map((click) => ({ ...click, linkId: organization.links[1], country: 'FR' })),
    );
    expect(await groups()).toMatchObject({ FR: 12 });
    expect((await read()).total).toBe(24);
  });

  test('leave out the values of a day that is being removed', async () => {
    await ingestClicks(db, onDays(0, 1, 2));
    for (const index of [0, 1, 2])
      await rollDay(emOf(db), organization.id, { startMs: monday + index * day, quarters: 96 });
    await forgetDays(emOf(db), '2024-05-07', 1_000);
    await rollWeek(emOf(db), organization.id, monday);
    expect(await groups()).toEqual({ DE: 8, US: 16 });
    expect((await read()).total).toBe(24);
  });

  test('leave out a dimension that one of the days leaves out', async () => {
    await ingestClicks(db, onDays(0, 1));
    await rollDay(emOf(db), organization.id, { startMs: monday, quarters: 96 }, 2);
    await rollDay(emOf(db), organization.id, { startMs: monday + day, quarters: 96 });
    await rollWeek(emOf(db), organization.id, monday);
    expect((await read('city')).total).toBe(24);
    await loseDays();
    expect((await read('city')).total).toBeLessThan(24);
    expect(await groups()).toEqual({ DE: 8, US: 16 });
  });
});
