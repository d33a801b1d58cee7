import { sql } from 'kysely';
import { isObject } from '#core/lib/is-object.ts';
import { beginSnapshot, camelCased, readByCursor, readRows, type RowsQuery } from '#db/connection/lists/cursor.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { botClicksTable, clicksTable } from '#db/clicks/clickhouse/schema.ts';
import type { EntityManager, Tables } from '#db/connection/entity-manager.ts';

export interface ExportLine {
  type: string;
  data: Record<string, unknown>;
}

interface Part {
  type: string;
  read(em: EntityManager, organizationId: string): AsyncGenerator<Record<string, unknown>>;
}

/** @param columns with secrets, or without meaning outside the database, besides `organization_id` and `deleted_at`. */
const plain = (
  rows: (kysely: EntityManager['kysely'], organizationId: string) => RowsQuery,
  ...columns: string[]
): Part['read'] => {
  const hidden = ['organization_id', 'deleted_at', ...columns];
  return (em, organizationId) => readRows(em, rows(em.kysely, organizationId), hidden);
};

const rowsOf = (table: keyof Tables, ...columns: string[]): Part['read'] =>
  plain(
    (kysely, id) =>
      kysely
        .selectFrom(table)
        .selectAll()
        .where(sql<boolean>`organization_id = ${id}`),
    ...columns,
  );

const liveRowsOf = (table: keyof Tables, ...columns: string[]): Part['read'] =>
  plain(
    (kysely, id) =>
      kysely
        .selectFrom(table)
        .selectAll()
        .where(sql<boolean>`organization_id = ${id} and deleted_at is null`),
    ...columns,
  );

const hidden = (...columns: string[]): string => `'{${columns.join(',')}}'::text[]`;

const destinationOf = (alias: string): string =>
  `to_jsonb(${alias}) - ${hidden('id', 'link_id', 'rule_id', 'url_hash', 'deep_link_hashes')}`;

/** Everything that an organization has; a parent comes before its children. */
const parts: readonly Part[] = [
  {
    type: 'organization',
    read: plain((kysely, id) => kysely.selectFrom('Organization').selectAll().where('id', '=', id)),
  },
  {
    type: 'member',
    read: plain((kysely, id) =>
      kysely
        .selectFrom('Membership as m')
        .innerJoin('User as u', 'u.id', 'm.user')
        .select(['u.id as userId', 'u.type', 'u.email', 'u.name', 'm.role', 'm.createdAt'])
        .where('m.organization', '=', id),
    ),
  },
  { type: 'invitation', read: rowsOf('Invitation') },
  { type: 'session', read: rowsOf('Session', 'token_hash') },
  { type: 'apiKey', read: liveRowsOf('ApiKey', 'key_hash', 'previous_key_hash') },
  { type: 'domain', read: liveRowsOf('Domain', 'requeued_at') },
  { type: 'folder', read: liveRowsOf('Folder', 'name_key') },
  { type: 'tag', read: liveRowsOf('Tag', 'name_key') },
  { type: 'utmTemplate', read: rowsOf('UtmTemplate', 'name_key') },
  { type: 'file', read: liveRowsOf('File') },
  { type: 'qrCode', read: rowsOf('QrCode') },
  {
    type: 'link',
    // By hand: it nests the child rows of a link as JSON; no benchmark runs it.
    read: (em, id) =>
      readByCursor(em, {
        text: `
  select to_jsonb(l) - ${hidden('organization_id', 'deleted_at', 'password_hash', 'search_text')} || jsonb_build_object(
    'has_password', l.password_hash is not null,
    'clicks', coalesce((select clicks from link_counters where link_id = l.id), 0),
    'destination', (select ${destinationOf('d')} from destinations d where d.link_id = l.id and d.rule_id is null),
    'rules', coalesce((select jsonb_agg(to_jsonb(r) - ${hidden('link_id')} || jsonb_build_object('destination',
        (select ${destinationOf('rd')} from destinations rd where rd.rule_id = r.id)) order by r.priority, r.position)
      from rules r where r.link_id = l.id), '[]'),
    'meta_tags', (select to_jsonb(m) - ${hidden('link_id')} from meta_tags m where m.link_id = l.id),
    'tag_ids', coalesce((select jsonb_agg(lt.tag_id order by lt.position) from link_tags lt where lt.link_id = l.id), '[]')
  ) as data
  from short_links l where l.organization_id = $1 and l.deleted_at is null`,
        values: [id],
      }),
  },
  {
    type: 'linkChange',
    read: plain(
      (kysely, id) =>
        kysely
          .selectFrom('ShortLink as l')
          .innerJoin('LinkChange as c', 'c.linkId', 'l.id')
          .selectAll('c')
          .where('l.organization', '=', id)
          .where('l.deletedAt', 'is', null),
      'number',
      'total_bytes',
    ),
  },
  { type: 'activity', read: rowsOf('Activity') },
  { type: 'loggedCall', read: rowsOf('LoggedCall') },
  {
    type: 'webhook',
    read: plain((kysely, id) =>
      kysely
        .selectFrom('Webhook')
        .select(['id', 'name', 'url', 'events', 'isActive', 'isPaused', 'maxPerSecond', 'headerNames'])
        .select(['scopeFolderIds', 'scopeTagIds', 'scopeDomainIds', 'scopeLinkIds', 'consecutiveFailures'])
        .select(['lastFailureAt', 'disabledAt', 'disabledReason', 'createdAt', 'updatedAt'])
        .where('organization', '=', id)
        .where('deletedAt', 'is', null),
    ),
  },
  { type: 'event', read: rowsOf('Event') },
  {
    type: 'delivery',
    // By hand: it nests the attempts of a delivery as JSON; no benchmark runs it.
    read: (em, id) =>
      readByCursor(em, {
        text: `
  select jsonb_build_object('id', d.id, 'webhook_id', d.webhook_id, 'event_id', d.event_id, 'type', d.type,
    'status', d.status, 'response_code', d.response_code, 'created_at', d.created_at,
    'attempts', coalesce((select jsonb_agg(to_jsonb(a) - ${hidden('delivery_id')} order by a.number)
      from delivery_attempts a where a.delivery_id = d.id), '[]')) as data
  from webhooks w join deliveries d on d.webhook_id = w.id where w.organization_id = $1 and w.deleted_at is null`,
        values: [id],
      }),
  },
  { type: 'import', read: rowsOf('Import', 'due_at') },
  {
    type: 'importRow',
    read: plain((kysely, id) =>
      kysely
        .selectFrom('Import as i')
        .innerJoin('ImportRow as r', 'r.import', 'i.id')
        .selectAll('r')
        .where('i.organization', '=', id),
    ),
  },
  { type: 'auditLine', read: rowsOf('AuditEntry', 'bucket', 'salt', 'details_hash', 'hash') },
  // It links visits of one visitor, and no answer shows it.
  { type: 'click', read: rowsOf('Click', 'visitor') },
  { type: 'botClick', read: rowsOf('BotClick', 'visitor') },
];

/**
 * Reads everything that an organization has, of one moment, some hundred lines in memory at a time. Names are those of the
 * database in camel case; secrets, deleted rows, contents of files, and counts that follow from clicks are left out.
 * @param em of a transaction that has run no statement yet.
 * @param clickhouse holds clicks beside those of PostgreSQL, or in their place, a moment later.
 */
export async function* readExport(
  em: EntityManager,
  organizationId: string,
  clickhouse?: ClickHouse,
): AsyncGenerator<ExportLine> {
  await beginSnapshot(em);
  for (const { type, read } of parts)
    for await (const data of read(em, organizationId)) yield { type, data: nestedCamelCased(data) };
  if (clickhouse === undefined) return;
  for (const [type, table] of [
    ['click', clicksTable],
    ['botClick', botClicksTable],
  ] as const)
    for await (const data of readClickHouseClicks(clickhouse, table, organizationId))
      yield { type, data: camelCased(data) };
}

// Keys of other nested values are the customer's own.
const ours = new Set(['destination', 'rules', 'metaTags', 'attempts']);

function nestedCamelCased(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(camelCased(data)).map(([name, value]) => [name, ours.has(name) ? innerCamelCased(value) : value]),
  );
}

function innerCamelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(innerCamelCased);
  return isObject(value) ? nestedCamelCased(value as Record<string, unknown>) : value;
}

/** Reads the clicks of an organization, or bots' visits, as its export has those of PostgreSQL. */
async function* readClickHouseClicks(
  clickhouse: ClickHouse,
  table: string,
  organizationId: string,
): AsyncGenerator<Record<string, unknown>> {
  yield* clickhouse.stream<Record<string, unknown>>(
    `select * except (organization_id, visitor, clicked_at),
       formatDateTime(clicked_at, '%Y-%m-%dT%H:%i:%S', 'UTC') || '.' || leftPad(toString(toUnixTimestamp64Milli(clicked_at) % 1000), 3, '0') || '+00:00' as clicked_at
     from ${table} where organization_id = {organizationId:UUID}`,
    { organizationId },
  );
}
