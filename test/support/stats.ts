import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { botMark, type BotKind, clickColumns, copyField } from '#core/clicks/click.ts';
import type { ClickFilters, Dimension, GroupBy, Range } from '#core/stats/stats.ts';
import { botKindsOf, groupWithoutValue } from '#core/stats/stats.ts';
import type { Database } from '#db/connection/database.ts';
import { readClicks } from '#db/clicks/lines.ts';
import { type Ingest, ingest } from '#db/clicks/ingest.ts';
import { removeClicks } from '#db/deletions/clicks.ts';
import { removeTraces } from '#db/deletions/links.ts';
import type { StatsQuery } from '#db/stats/clicks-filter.ts';
import type { Groups } from '#db/stats/query.ts';
import type { Report } from '#db/stats/report.ts';
import type { Statistics } from '#db/stats/statistics.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { site } from './site.ts';

/** A click of the tests, as a client knows it. */
export interface TestClick {
  id: string;
  clickedAtMs: number;
  organizationId: string;
  linkId: string;
  domainId: string;
  folderId: string;
  tagIds: readonly string[];
  /** 32 hex digits. */
  visitor: string;
  device: string;
  isQrCode: boolean;
  destination: string;
  country?: string;
  region?: string;
  city?: string;
  continent?: string;
  lang?: string;
  browser?: string;
  os?: string;
  referer?: string;
  utmSource?: string;
  utmMedium?: string;
  utmCampaign?: string;
  utmTerm?: string;
  utmContent?: string;
  /** Set: a bot's visit. */
  bot?: BotKind;
}

/** Makes a click; fields that are not given have fixed defaults. */
export function testClick(
  click: Pick<TestClick, 'organizationId' | 'linkId' | 'domainId' | 'folderId'> & Partial<TestClick>,
): TestClick {
  return {
    id: uuidv7(),
    clickedAtMs: Date.now(),
    tagIds: [],
    visitor: randomUUID().replaceAll('-', ''),
    device: 'desktop',
    isQrCode: false,
    destination: 'https://example.com/',
    ...click,
  };
}

/** Puts clicks into the database, or into ClickHouse, the way a shipper does. @returns how many were taken, bots' visits apart. */
export async function ingestClicks(db: Database, clicks: readonly TestClick[], by: Ingest = ingest): Promise<number> {
  const journalId = randomUUID();
  const from = { segment: 1, position: 0 };
  await db.query('insert into journals (id) values ($1)', [journalId]);
  const client = await db.pool.connect();
  try {
    const { ingested } = await by(client, site, {
      journalId,
      from,
      to: { segment: 1, position: 1 },
      ...(await readClicks(Buffer.from(clicks.map(toLine).join('')))),
      rejected: 0,
    });
    return ingested;
  } finally {
    client.release();
  }
}

/** Removes all clicks of deleted links in small batches, and the rows that hide them. @returns how many. */
export async function purgeLinks(db: Database, organizationId: string, linkIds: readonly string[]): Promise<number> {
  const em = createEntityManager(db).fork();
  let removed = 0;
  for (let count = 1; count > 0;) {
    count = await removeClicks(em, { organizationId, linkIds, limit: 7 });
    removed += count;
  }
  await removeTraces(em, organizationId, linkIds);
  return removed;
}

/** Reads a report with one breakdown and no timeline. */
export async function readBreakdown(
  statistics: Statistics,
  { groupBy, ...query }: StatsQuery & { groupBy: GroupBy; limit: number; nowMs: number },
): Promise<Groups & Pick<Report, 'rolls'>> {
  const period = { range: query.range, points: [] };
  const { present, rolls } = await statistics.readReport({ ...query, groupBys: [groupBy] }, period);
  return { ...present.breakdowns.get(groupBy)!, rolls };
}

/** Reads a report with a timeline and no breakdowns. */
export async function readTimeline(
  statistics: Statistics,
  query: StatsQuery,
  points: readonly Range[],
): Promise<number[]> {
  const asked = { ...query, groupBys: [], limit: 0, nowMs: query.range.endMs };
  return (await statistics.readReport(asked, { range: query.range, points })).present.points;
}

function toLine(click: TestClick): string {
  const values: Record<string, string | undefined> = {
    id: click.id,
    clicked_at: new Date(click.clickedAtMs).toISOString(),
    link_id: click.linkId,
    visitor: String.raw`\x${click.visitor}`,
    country: click.country,
    region: click.region,
    city: click.city,
    continent: click.continent,
    lang: click.lang,
    device: click.device,
    browser: click.browser,
    os: click.os,
    referer: click.referer,
    is_qr_code: click.isQrCode ? 't' : 'f',
    utm_source: click.utmSource,
    utm_medium: click.utmMedium,
    utm_campaign: click.utmCampaign,
    utm_term: click.utmTerm,
    utm_content: click.utmContent,
    organization_id: click.organizationId,
    domain_id: click.domainId,
    folder_id: click.folderId,
    tag_ids: `{${click.tagIds.join(',')}}`,
    destination: click.destination,
  };
  const line = clickColumns.map((column) => copyField(values[column] ?? null)).join('\t');
  return click.bot === undefined ? `${line}\n` : `${botMark}${line}\t${click.bot}\tother-crawler\n`;
}

/** The clicks that a query is about, counted in the plainest way. */
export function selectClicks(
  clicks: readonly TestClick[],
  range: Range,
  { shortLinkIds, domainIds, folderIds, tagIds, values = {}, agents = 'humans' }: ClickFilters,
): TestClick[] {
  const among = (ids: readonly string[], ...of: readonly string[]): boolean =>
    ids.length === 0 || of.some((id) => ids.includes(id));
  return clicks.filter(
    (click) =>
      click.clickedAtMs >= range.startMs &&
      click.clickedAtMs < range.endMs &&
      (click.bot === undefined ? agents === 'humans' || agents === 'all' : botKindsOf(agents).includes(click.bot)) &&
      among(shortLinkIds, click.linkId) &&
      among(domainIds, click.domainId) &&
      among(folderIds, click.folderId) &&
      among(tagIds, ...click.tagIds) &&
      Object.entries(values).every(([dimension, groups]) => among(groups, groupOf(click, dimension as Dimension))),
  );
}

/** The group of a click in a dimension. */
function groupOf(click: TestClick, dimension: Dimension): string {
  switch (dimension) {
    case 'qrCode':
      return click.isQrCode ? 'qr' : 'link';
    case 'shortLinks':
      return click.linkId;
    default:
      return click[dimension] || groupWithoutValue(dimension);
  }
}

/** Groups of clicks, most clicks first, then in the order of code points. */
export function countGroups(clicks: readonly TestClick[], groupBy: GroupBy): { group: string; count: number }[] {
  const counts = new Map<string, number>();
  const visitors = new Set<string>();
  for (const click of clicks) {
    const group =
      groupBy === 'uniqueVisitors' ? (visitors.has(click.visitor) ? 'returning' : 'unique') : groupOf(click, groupBy);
    visitors.add(click.visitor);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...counts]
    .map(([group, count]) => ({ group, count }))
    .toSorted((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.group), Buffer.from(b.group)));
}
