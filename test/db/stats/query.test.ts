// @module-tag slow

import { expect, test } from 'vitest';
import { rollDay, rollWeek } from '#db/stats/rollups.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { isNight } from '#test/support/night.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks, purgeLinks, readBreakdown } from '#test/support/stats.ts';
import { compareWithPlainCounts } from './statistics-suite.ts';

const db = useTestDatabase();

test('statistics equal a plain count of the clicks, in whatever order clicks are ingested, counted, hidden and removed', async () => {
  const rolled = await compareWithPlainCounts(
    db,
    {
      statistics: createStatistics(db),
      ingest: (clicks) => ingestClicks(db, clicks),
      purge: (organizationId, linkIds) => purgeLinks(db, organizationId, linkIds),
      async roll(query, maxValues, minClicks) {
        const { rolls } = await readBreakdown(createStatistics(db, minClicks), query);
        for (const one of rolls.days) await rollDay(emOf(db), query.organizationId, one, maxValues);
        for (const one of rolls.weeks) await rollWeek(emOf(db), query.organizationId, one);
        return { days: rolls.days.length, weeks: rolls.weeks.length };
      },
    },
    isNight ? 80 : 25,
  );
  // Otherwise nothing was tried.
  expect(rolled.days).toBeGreaterThan(3);
  expect(rolled.weeks).toBeGreaterThan(3);
});
