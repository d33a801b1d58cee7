import type { Database } from '#db/connection/database.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import type { StatsQuery } from './clicks-filter.ts';
import { type ClickView, listClicks } from './query.ts';
import { type Period, readReport, type Report, type ReportQuery } from './report.ts';

/**
 * The questions of statistics. PostgreSQL answers them, or ClickHouse (`clickhouse/statistics.ts`); both give the same answers, row
 * for row (test/db/stats/query.test.ts).
 */
export interface Statistics {
  /** Counts clicks by time, and by country, device, referrer and other groupings, all of one moment. */
  readReport(query: ReportQuery, present: Period, earlier?: Period): Promise<Report>;
  /** Lists clicks, newest first, by time and id. @param after the last click of the page before. */
  listClicks(query: StatsQuery & { after?: Position; limit: number }): Promise<ClickView[]>;
}

/**
 * Statistics of the clicks in PostgreSQL.
 * @param minClicks days with fewer clicks are not worth counts by value.
 */
export function createStatistics(db: Database, minClicks?: number): Statistics {
  return {
    readReport: (query, present, earlier) => readReport(db, query, present, earlier, minClicks),
    listClicks: (query) => listClicks(db, query),
  };
}
