import { type BotKind, botKinds } from '#core/clicks/click.ts';
import type { Reach } from '#core/organizations/reach.ts';

/**
 * Numbers of the dimensions, as rollups hold them: at most 30, and once released a number keeps its meaning. Another dimension needs its
 * property of a click (`core/clicks/click.ts`), its column of `clicks` (`db/entities/clicks.ts`, a migration), and its expression in
 * `db/stats/query.ts`.
 */
export const dimensionIds = {
  city: 0,
  region: 1,
  country: 2,
  continent: 3,
  lang: 4,
  device: 5,
  browser: 6,
  os: 7,
  referer: 8,
  utmSource: 9,
  utmMedium: 10,
  utmCampaign: 11,
  utmTerm: 12,
  utmContent: 13,
  qrCode: 14,
  destination: 15,
  shortLinks: 16,
} as const;

/** A property that every click has one value of. */
export type Dimension = keyof typeof dimensionIds;

/** The dimensions, by their numbers. */
export const dimensions = Object.keys(dimensionIds) as Dimension[];

/** Groupings of statistics (5.3). */
export type GroupBy = Dimension | 'uniqueVisitors';
export const groupBys: readonly GroupBy[] = [...dimensions, 'uniqueVisitors'];

export function groupWithoutValue(dimension: Dimension): string {
  switch (dimension) {
    case 'referer':
      return 'direct';
    case 'qrCode':
      return 'link';
    default:
      return 'unknown';
  }
}

/** The latest time, in Unix milliseconds, that statistics ask for: the database is asked about years of four digits. */
export const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time range in Unix milliseconds, without its end. */
export interface Range {
  readonly startMs: number;
  readonly endMs: number;
}

/** Values of dimensions that clicks may have: groups as statistics name them, the group without a value too. */
type ValueFilters = Readonly<Partial<Record<Dimension, readonly string[]>>>;

/** Whose visits statistics count (5.10): people's, which are the clicks; bots' too, or those of bots alone, or of one kind. */
export const agents = ['humans', 'all', 'bots', 'previews', 'scanners', 'crawlers', 'tools'] as const;
export type Agents = (typeof agents)[number];

/** The kinds of bots among agents; none for people alone. */
export function botKindsOf(of: Agents): readonly BotKind[] {
  if (of === 'humans') return [];
  return of === 'all' || of === 'bots' ? botKinds : botKinds.filter((kind) => `${kind}s` === of);
}

/** Filters of statistics: values of one kind are alternatives, kinds are combined by AND (5.4); none of a kind: all. */
export interface ClickFilters {
  readonly shortLinkIds: readonly string[];
  readonly domainIds: readonly string[];
  /** Folder and tags of the link at the time of the click. */
  readonly folderIds: readonly string[];
  readonly tagIds: readonly string[];
  readonly values?: ValueFilters;
  /** Unset: humans. */
  readonly agents?: Agents;
  /** The reach of the key that asks: only clicks of links that are within it now. */
  readonly reach?: Reach | undefined;
}

/** Whether a statistic is about a part of the clicks, or about more than clicks: the stored counts do not tell it. */
export function isFiltered(filters: ClickFilters): boolean {
  const { shortLinkIds, domainIds, folderIds, tagIds, values = {}, reach, agents: of = 'humans' } = filters;
  if (reach !== undefined || of !== 'humans') return true;
  return [shortLinkIds, domainIds, folderIds, tagIds, ...Object.values(values)].some((list) => list.length > 0);
}
