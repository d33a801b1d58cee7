import type { QueryConfig } from 'pg';
import type { DestinationType } from '#core/links/destination.ts';
import { plainTypes, type PlainValues } from '#core/links/fields.ts';
import { snakeCase } from '#core/lib/snake-case.ts';
import type { EventDraft } from '#core/webhooks/events.ts';
import type { OsType } from '#core/links/draft.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import type { Sql } from '#db/connection/database.ts';
import { isTakenDownName } from './taken-down-names.ts';

/** A row of `short_links` to insert, with its child rows. */
export interface LinkInsert {
  link: {
    id: string;
    organizationId: string;
    domainId: string;
    folderId: string;
    qrCodeId: string | null;
    createdBy: string | null;
    slug: string;
    passwordHash: string | null;
    searchText: string;
    createdAt: Date;
    /** `expiresAt` of a link that is made after its end, as imports do: `link.expired` does not tell of it. */
    reportedExpiry: Date | null;
  } & PlainValues;
  destinations: DestinationInsert[];
  rules: RuleInsert[];
  qrCode: { id: string; organizationId: string; options: QrOptions; imageId: string | null } | null;
  metaTags: { title: string | null; description: string | null; imageId: string | null } | null;
  tagIds: string[];
  event: EventDraft;
  /** Null: a bulk call or an import has one activity for all its links. */
  activity: { keyId: string | null } | null;
}

/** A row of `destinations`; `ruleId` is null for the link's own, hashes are hex. */
export interface DestinationInsert {
  id: string;
  ruleId: string | null;
  type: DestinationType;
  value: string;
  urlHash: string | null;
  enableDeepLinking: boolean;
  iosDeepLink: string | null;
  androidDeepLink: string | null;
  /** Keys of the verdicts of its deep links' web addresses, without that of `value`; null: there are none. */
  deepLinkHashes: string[] | null;
}

/** A row of `rules`. */
export interface RuleInsert {
  id: string;
  priority: number;
  position: number;
  countries: string[] | null;
  languages: string[] | null;
  osTypes: OsType[] | null;
}

/** Child rows of links: each part inserts the rows of a JSON array that belong to links which were inserted. */
interface Part {
  name: string;
  /** `$rows` stands for the parameter. */
  statement: string;
  rows(inserts: readonly LinkInsert[]): readonly object[];
}

/** Types in PostgreSQL of the columns to insert, by the members of a row: the column of `linkId` is `link_id`. */
type Columns = Readonly<Record<string, string>>;

/**
 * SQL: inserts the rows of a JSON array, as `toJson` writes them; binary values are hex there.
 * @param rest what follows, on the rows as `x`.
 * @param computed columns that the rows do not have, with their values in SQL.
 */
function insertSql(
  table: string,
  columns: Columns,
  rest: string,
  computed: Readonly<Record<string, string>> = {},
): string {
  const members = Object.keys(columns);
  const jsonType = (member: string): string => columns[member]!.replace('bytea', 'text');
  const read = (member: string): string => {
    const value = `x."${member}"`;
    if (columns[member] === 'boolean') return `coalesce(${value}, false)`;
    if (columns[member] === 'bytea') return `decode(${value}, 'hex')`;
    if (columns[member] === 'bytea[]') return `(select array_agg(decode(hash, 'hex')) from unnest(${value}) as hash)`;
    return value;
  };
  return `
    insert into ${table} (${[...members.map(snakeCase), ...Object.keys(computed)].join(', ')})
    select ${[...members.map(read), ...Object.values(computed)].join(', ')}
    from jsonb_to_recordset($rows::jsonb) as x(${members.map((member) => `"${member}" ${jsonType(member)}`).join(', ')})
    ${rest}`;
}

/** Writes rows without their members that are null or false: most are, and PostgreSQL parses each (bench row C1). */
function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows.map(withoutDefaults));
}

function withoutDefaults(row: object): object {
  const slim: Record<string, unknown> = {};
  // Not its entries: an array for each member is garbage (bench row C1).
  for (const member of Object.keys(row)) {
    const value = (row as Record<string, unknown>)[member];
    if (value !== null && value !== false) slim[member] = value;
  }
  return slim;
}

const madeOnly = 'where x."linkId" in (select id from made)';

const linkColumns = {
  id: 'uuid',
  organizationId: 'uuid',
  domainId: 'uuid',
  folderId: 'uuid',
  qrCodeId: 'uuid',
  createdBy: 'uuid',
  slug: 'text',
  passwordHash: 'text',
  searchText: 'text',
  createdAt: 'timestamptz',
  reportedExpiry: 'timestamptz',
  ...plainTypes,
} as const satisfies Record<keyof LinkInsert['link'], string>;

const linkPart: Part = {
  name: 'made',
  statement: insertSql(
    'short_links',
    linkColumns,
    `where not ${isTakenDownName('x."domainId"', 'x.slug')}
      order by x."externalId", x."domainId", x.slug on conflict do nothing
      returning id, qr_code_id, organization_id, slug, created_by, created_at`,
    { updated_at: 'x."createdAt"' },
  ),
  rows: (inserts) => inserts.map(({ link }) => link),
};

const otherParts: readonly Part[] = [
  {
    name: 'made_qr_codes',
    statement: insertSql(
      'qr_codes',
      { id: 'uuid', organizationId: 'uuid', options: 'jsonb', imageId: 'uuid' },
      'where x.id in (select qr_code_id from made)',
    ),
    rows: (inserts) => inserts.flatMap(({ qrCode }) => qrCode ?? []),
  },
  {
    name: 'made_rules',
    statement: insertSql(
      'rules',
      {
        id: 'uuid',
        linkId: 'uuid',
        priority: 'double precision',
        position: 'int',
        countries: 'text[]',
        languages: 'text[]',
        osTypes: 'text[]',
      },
      madeOnly,
    ),
    rows: (inserts) => inserts.flatMap(({ link, rules }) => rules.map((rule) => ({ ...rule, linkId: link.id }))),
  },
  {
    name: 'made_destinations',
    statement: insertSql(
      'destinations',
      {
        id: 'uuid',
        linkId: 'uuid',
        ruleId: 'uuid',
        type: 'text',
        value: 'text',
        urlHash: 'bytea',
        enableDeepLinking: 'boolean',
        iosDeepLink: 'text',
        androidDeepLink: 'text',
        deepLinkHashes: 'bytea[]',
      },
      madeOnly,
    ),
    rows: (inserts) =>
      inserts.flatMap(({ link, destinations }) => destinations.map((row) => ({ ...row, linkId: link.id }))),
  },
  {
    name: 'made_meta_tags',
    statement: insertSql(
      'meta_tags',
      { linkId: 'uuid', title: 'text', description: 'text', imageId: 'uuid' },
      madeOnly,
    ),
    rows: (inserts) =>
      inserts.flatMap(({ link, metaTags }) => (metaTags === null ? [] : { ...metaTags, linkId: link.id })),
  },
  {
    name: 'made_tags',
    statement: insertSql('link_tags', { linkId: 'uuid', tagId: 'uuid', position: 'int' }, madeOnly),
    rows: (inserts) =>
      inserts.flatMap(({ link, tagIds }) => tagIds.map((tagId, position) => ({ linkId: link.id, tagId, position }))),
  },
  {
    name: 'made_caps',
    statement: insertSql('link_caps', { linkId: 'uuid' }, madeOnly),
    rows: (inserts) => inserts.flatMap(({ link }) => (link.maxClicks === null ? [] : { linkId: link.id })),
  },
  {
    name: 'made_events',
    statement: `
      insert into events (id, organization_id, type, link_id, body, created_at)
      select x.id, m.organization_id, 'link.created', m.id, x.body, x."createdAt"
      from jsonb_to_recordset($rows::jsonb) as x("linkId" uuid, id uuid, body text, "createdAt" timestamptz)
      join made m on m.id = x."linkId"`,
    rows: (inserts) =>
      inserts.map(({ link, event: { id, body, createdAt } }) => ({ linkId: link.id, id, body, createdAt })),
  },
  {
    name: 'made_activities',
    // The link's id is the activity's too: one index of `activities` finds it by itself and by its subject.
    statement: `
      insert into activities (id, organization_id, at, action, subject_id, name, caller, user_id, key_id, count)
      select m.id, m.organization_id, m.created_at, 'shortLink.created', m.id, m.slug,
        case when x."keyId" is null then 'member' else 'key' end, m.created_by, x."keyId", 1
      from jsonb_to_recordset($rows::jsonb) as x("linkId" uuid, "keyId" uuid) join made m on m.id = x."linkId"`,
    rows: (inserts) =>
      inserts.flatMap(({ link, activity }) => (activity === null ? [] : { linkId: link.id, keyId: activity.keyId })),
  },
];

/**
 * Writes the statement that inserts links with their child rows (bench row C1), for `insertLinks`. A link whose slug or external
 * id is taken, or whose name staff took down, is left out with its child rows. Foreign keys are checked at the end of the statement. Links are inserted in sorted
 * order: two such statements cannot deadlock.
 */
export function writeLinkStatement(inserts: readonly LinkInsert[]): QueryConfig {
  // Most links have one destination and nothing else: the statement leaves out unused parts.
  const used = otherParts.map((part) => ({ part, rows: part.rows(inserts) })).filter(({ rows }) => rows.length > 0);
  const all = [{ part: linkPart, rows: linkPart.rows(inserts) }, ...used];
  const clauses = all.map(({ part }, index) => `${part.name} as (${part.statement.replace('$rows', `$${index + 1}`)})`);
  return {
    // PostgreSQL cuts names at 63 bytes: parts go in by number.
    name: `insert-links ${used.map(({ part }) => otherParts.indexOf(part)).join('')}`,
    text: `with ${clauses.join(', ')} select array_agg(id) as ids from made`,
    values: all.map((part) => toJson(part.rows)),
  };
}

// By hand: one statement inserts links with all of their child rows (bench row C1).
/** Inserts the links of a statement of `writeLinkStatement`. @returns ids of the inserted links. */
export async function insertLinks(sql: Sql, statement: QueryConfig): Promise<Set<string>> {
  const { rows } = await sql.query<{ ids: string[] | null }>(statement);
  return new Set(rows[0]!.ids);
}
