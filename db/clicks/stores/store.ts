import type { Position } from '#db/connection/lists/paging.ts';

/** Tables that move between PostgreSQL and ClickHouse. */
export const movedTables = ['clicks', 'bot_clicks'] as const;
export type MovedTable = (typeof movedTables)[number];

/** Clicks of an organization in a calendar month (UTC, `YYYY-MM`). */
export interface ClickPart {
  table: MovedTable;
  month: string;
  organizationId: string;
}

/** Sums over a part: its clicks, their times in milliseconds, and the last 48 bits of their ids. */
export interface ClickFigures {
  clicks: number;
  times: string;
  ids: string;
}

export function areSameFigures(one: ClickFigures, other: ClickFigures): boolean {
  return one.clicks === other.clicks && one.times === other.times && one.ids === other.ids;
}

/**
 * A store of clicks, as they are copied from one to the other, and read for exports. Clicks of deleted links are left out of everything: a deletion removes them
 * from both, a minute after the last copy of them can have begun.
 */
export interface ClickStore {
  /** Months with clicks, perhaps without; the latest first. */
  listMonths(table: MovedTable): Promise<string[]>;
  /** The next organization with clicks in a month, in an order of the store's own. */
  findOrganization(part: Omit<ClickPart, 'organizationId'>, after: string | null): Promise<string | undefined>;
  readFigures(part: ClickPart): Promise<ClickFigures>;
  /** Reads clicks as lines of a journal, by time and id, those after a position. */
  readLines(part: ClickPart, after: Position | null, limit: number): Promise<Buffer>;
  /** Reads the ids of clicks in a range of time, its end included: an id twice where the click is. */
  readIds(part: ClickPart, firstMs: number, lastMs: number): Promise<string[]>;
  /** Inserts clicks of a part that the store has not. May be repeated. @returns how many it inserted. */
  insert(part: ClickPart, lines: Buffer): Promise<number>;
}

/** The first moments of a month and of the next (ISO 8601). */
export function boundsOf(month: string): { start: string; end: string } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return {
    start: new Date(Date.UTC(year, number - 1)).toISOString(),
    end: new Date(Date.UTC(year, number)).toISOString(),
  };
}
