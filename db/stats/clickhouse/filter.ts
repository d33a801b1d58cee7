import { botKindsOf, type Dimension, groupWithoutValue, type Range } from '#core/stats/stats.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { linksWithin } from '#db/links/reach.ts';
import { idsSql, isOfLiveLink } from '#db/clicks/clickhouse/ids.ts';
import { botKinds, clickColumns } from '#core/clicks/click.ts';
import { botClicksTable, clicksTable } from '#db/clicks/clickhouse/schema.ts';
import type { StatsQuery } from '#db/stats/clicks-filter.ts';

/** Builds a statement over clicks, all named `c`, with its parameters. */
interface Statement {
  readonly parameters: Record<string, unknown>;
  /** Adds a parameter. @returns what stands for it in the text. */
  value(type: string, value: unknown): string;
  /** The query's clicks; a condition may follow. */
  readonly clicks: string;
}

/**
 * Begins a statement for a query. What a filter asks of links as they are now is known to PostgreSQL: the ids of links that are
 * hidden, or within a key's reach, are read there and stand in the text.
 */
export async function createStatement(
  em: EntityManager,
  { organizationId, range, filters }: Omit<StatsQuery, 'range'> & { range: Range },
): Promise<Statement> {
  const parameters: Record<string, unknown> = {};
  const value = (type: string, given: unknown): string => {
    const name = `p${Object.keys(parameters).length}`;
    parameters[name] = given;
    return `{${name}:${type}}`;
  };
  const { shortLinkIds, domainIds, folderIds, tagIds, values = {}, reach, agents = 'humans' } = filters;
  const organization = value('UUID', organizationId);
  const conditions = [
    `c.organization_id = ${organization}`,
    `c.clicked_at >= ${timeSql(range.startMs)} and c.clicked_at < ${timeSql(range.endMs)}`,
    await isOfLiveLink(em, organizationId),
  ];
  if (reach !== undefined) {
    let links = linksWithin(em, { organizationId, reach });
    // A link without a counter has clicks of bots at most.
    if (agents === 'humans') links = links.innerJoin('LinkCounter as n', 'n.linkId', 'l.id');
    const rows = await links.execute();
    conditions.push(rows.length === 0 ? 'false' : `c.link_id in ${idsSql(rows.map(({ id }) => id))}`);
  }
  const isAmong = (column: string, ids: readonly string[]): void => {
    if (ids.length > 0) conditions.push(`c.${column} in ${value('Array(UUID)', ids)}`);
  };
  isAmong('link_id', shortLinkIds);
  isAmong('domain_id', domainIds);
  isAmong('folder_id', folderIds);
  if (tagIds.length > 0) conditions.push(`hasAny(c.tag_ids, ${value('Array(UUID)', tagIds)})`);
  for (const [dimension, groups] of Object.entries(values))
    if (groups.length > 0) conditions.push(`${groupSql(dimension as Dimension)} in ${value('Array(String)', groups)}`);
  const kinds = botKindsOf(agents);
  if (kinds.length > 0 && kinds.length < botKinds.length)
    conditions.push(`c.agent_kind in ${value('Array(String)', kinds)}`);
  const source = sources[agents === 'humans' || agents === 'all' ? agents : 'bots'];
  return { parameters, value, clicks: `${source} c where ${conditions.join(' and ')}` };
}

const columns = clickColumns.join(', ');
const sources = {
  humans: clicksTable,
  bots: botClicksTable,
  all: `(select ${columns} from ${clicksTable} union all select ${columns} from ${botClicksTable})`,
};

/** SQL of a click's group in a dimension: its value, or the name of the group without one. */
export function groupSql(dimension: Dimension): string {
  switch (dimension) {
    case 'qrCode':
      return `if(c.is_qr_code, 'qr', 'link')`;
    case 'shortLinks':
      return 'toString(c.link_id)';
    default:
      return `ifNull(nullIf(c.${snakeCase(dimension)}, ''), '${groupWithoutValue(dimension)}')`;
  }
}

// The years that ClickHouse's times have: no click is of another one.
const [firstMs, lastMs] = [Date.UTC(1970), Date.UTC(2200)];

/** SQL of a time (Unix, milliseconds). */
function timeSql(ms: number): string {
  return `fromUnixTimestamp64Milli(${Math.min(Math.max(Math.trunc(ms), firstMs), lastMs)}, 'UTC')`;
}
