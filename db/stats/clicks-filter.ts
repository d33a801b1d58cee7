import { botKindsOf, type ClickFilters, type Dimension, groupWithoutValue, type Range } from '#core/stats/stats.ts';
import { botKinds, clickColumns } from '#core/clicks/click.ts';
import { linksInReach } from '#db/links/reach.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';

export interface StatsQuery {
  organizationId: string;
  range: Range;
  filters: ClickFilters;
}

/** Builds a statement over clicks, all named `c`, with its parameters. */
interface Statement {
  readonly values: unknown[];
  readonly organization: string;
  value(value: unknown): string;
  time(ms: number): string;
  /** The query's clicks; a condition may follow. */
  clicks(): string;
  /** All clicks of the organization in some ranges, those of deleted links included. */
  clicksOf(ranges: readonly Range[]): string;
  /** Clicks of deleted links in the query's range. */
  hidden(): string;
}

export function createStatement({ organizationId, range, filters }: StatsQuery): Statement {
  const values: unknown[] = [organizationId];
  const organization = '$1::uuid';
  const value = (parameter: unknown): string => `$${values.push(parameter)}`;
  const time = (ms: number): string => `${value(timeText(ms))}::timestamptz`;
  const within = ({ startMs, endMs }: Range): string =>
    `c.clicked_at >= ${time(startMs)} and c.clicked_at < ${time(endMs)}`;
  const { shortLinkIds, domainIds, folderIds, tagIds, values: wanted = {}, reach, agents = 'humans' } = filters;
  const hasValue = (dimension: Dimension, groups: readonly string[]): string => {
    const found = `${valueSql(dimension)} = any(${value(groups)}::text[])`;
    return groups.includes(groupWithoutValue(dimension)) ? `(${found} or ${valueSql(dimension)} is null)` : found;
  };
  return {
    values,
    organization,
    value,
    time,
    clicks() {
      const conditions = [
        `c.organization_id = ${organization}`,
        within(range),
        // Not a join: it stays quick even where the planner misjudges the number of deleted links.
        `c.link_id not in (select link_id from hidden_links where organization_id = ${organization})`,
      ];
      if (reach !== undefined) conditions.push(`c.link_id in (${linksInReach(organization, reach, value)})`);
      if (shortLinkIds.length > 0) conditions.push(`c.link_id = any(${value(shortLinkIds)}::uuid[])`);
      if (domainIds.length > 0) conditions.push(`c.domain_id = any(${value(domainIds)}::uuid[])`);
      if (folderIds.length > 0) conditions.push(`c.folder_id = any(${value(folderIds)}::uuid[])`);
      if (tagIds.length > 0) conditions.push(`c.tag_ids && ${value(tagIds)}::uuid[]`);
      for (const [dimension, groups] of Object.entries(wanted))
        if (groups.length > 0) conditions.push(hasValue(dimension as Dimension, groups));
      const kinds = botKindsOf(agents);
      if (kinds.length > 0 && kinds.length < botKinds.length)
        conditions.push(`c.agent_kind = any(${value(kinds)}::text[])`);
      return `${sources[agents === 'humans' || agents === 'all' ? agents : 'bots']} c where ${conditions.join(' and ')}`;
    },
    clicksOf(ranges) {
      const [only] = ranges;
      if (only !== undefined && ranges.length === 1)
        return `clicks c where c.organization_id = ${organization} and ${within(only)}`;
      // Reads range by range from the index: `offset 0` keeps the planner from another join.
      return `unnest(${value(ranges.map(({ startMs }) => timeText(startMs)))}::timestamptz[],
          ${value(ranges.map(({ endMs }) => timeText(endMs)))}::timestamptz[]) r (start_at, end_at)
        cross join lateral (select * from clicks where organization_id = ${organization}
          and clicked_at >= r.start_at and clicked_at < r.end_at offset 0) c`;
    },
    hidden: () => `hidden_links h join clicks c on c.link_id = h.link_id
      where h.organization_id = ${organization} and ${within(range)}`,
  };
}

const columns = clickColumns.join(', ');
const sources = {
  humans: 'clicks',
  bots: 'bot_clicks',
  all: `(select ${columns} from clicks union all select ${columns} from bot_clicks)`,
};

/** A time (Unix, milliseconds) as a parameter of a statement. */
export const timeText = (ms: number): string => new Date(ms).toISOString();
/** The day (UTC) of a time, as `YYYY-MM-DD`. */
export const dayText = (ms: number): string => timeText(ms).slice(0, 10);

/** SQL of a click's value in a dimension, null where it has none; `c` names the click. */
export function valueSql(dimension: Dimension): string {
  switch (dimension) {
    case 'qrCode':
      return `case when c.is_qr_code then 'qr' end`;
    case 'shortLinks':
      return 'c.link_id::text';
    default:
      return `nullif(c.${snakeCase(dimension)}, '')`;
  }
}
