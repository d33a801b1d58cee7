// @module-tag process

import { describe, expect, test } from 'vitest';
import { createClickHouseIngest } from '#db/clicks/clickhouse/ingest.ts';
import { removeLinkClicks } from '#db/clicks/clickhouse/removal.ts';
import { removeTraces } from '#db/deletions/links.ts';
import { createClickHouseStatistics } from '#db/stats/clickhouse/statistics.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks } from '#test/support/stats.ts';
import { compareWithPlainCounts } from './statistics-suite.ts';

describe.skipIf(chdb === undefined)('statistics of ClickHouse', { tags: 'nightly' }, () => {
  const db = useTestDatabase();
  const clickhouse = useClickHouse();

  test('equal a plain count of the clicks, in whatever order clicks are ingested, hidden and removed', async () => {
    const ingest = createClickHouseIngest(clickhouse);
    const { days } = await compareWithPlainCounts(
      db,
      {
        statistics: createClickHouseStatistics(clickhouse, emOf(db)),
        ingest: (clicks) => ingestClicks(db, clicks, ingest),
        async purge(organizationId, linkIds) {
          await removeLinkClicks(clickhouse, { organizationId, linkIds });
          await removeTraces(emOf(db), organizationId, linkIds);
        },
        roll: async () => ({ days: 0, weeks: 0 }),
      },
      40,
    );
    expect(days).toBe(0);
  });
});
