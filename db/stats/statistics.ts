import type { GroupBy, Range } from '#core/stats/stats.ts';
import type { Database } from '#db/connection/database.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import type { StatsQuery } from './clicks-filter.ts';
import { type Breakdown, type ClickView, listClicks, readBreakdown, readTimeline } from './query.ts';
import { type Period, readReport, type Report, type ReportQuery } from './report.ts';

/**
 * The questions of statistics. PostgreSQL answers them, or ClickHouse (`clickhouse/statistics.ts`); both give the same answers, row
 * for row (test/db/stats/query.test.ts).
 */
export interface Statistics {
  /** Counts clicks by country, device, referrer or another grouping, and reads the largest groups. */
  readBreakdown(query: StatsQuery & { groupBy: GroupBy; limit: number; nowMs: number }): Promise<Breakdown>;
  /** Counts the clicks of consecutive ranges that make up the query's. */
  readTimeline(query: StatsQuery, points: readonly Range[]): Promise<number[]>;
  /** Reads a timeline and several breakdowns of one moment. */
  readReport(query: ReportQuery, present: Period, earlier: Period | undefined): Promise<Report>;
  /** Lists clicks, newest first, by time and id. @param after the last click of the page before. */
  listClicks(query: StatsQuery & { after?: Position; limit: number }): Promise<ClickView[]>;
}

/** Statistics of the clicks in PostgreSQL. */
export function createStatistics(db: Database): Statistics {
  return {
    readBreakdown: (query) => readBreakdown(db, query),
    readTimeline: (query, points) => readTimeline(db, query, points),
    readReport: (query, present, earlier) => readReport(db, query, present, earlier),
    listClicks: (query) => listClicks(db, query),
  };
}
