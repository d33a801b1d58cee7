import { isObject } from '#core/lib/is-object.ts';
import { beginSnapshot, readByCursor } from '#db/connection/cursor.ts';
import type { Sql } from '#db/connection/database.ts';

/** A line of an organization's export: its type, and its data. */
export interface ExportLine {
  type: string;
  data: Record<string, unknown>;
}

interface Part {
  type: string;
  /** SQL: rows of an organization (`$1`), one JSON object `data` each. */
  text: string;
}

/**
 * Columns with secrets, or without meaning outside the database. Columns of bytes are hashes and sealed values: they are left
 * out too.
 */
const hidden = (...columns: string[]): string => `'{${columns.join(',')}}'::text[]`;

const rowsOf = (table: string, ...columns: string[]): string =>
  `select to_jsonb(t) - ${hidden('organization_id', 'deleted_at', ...columns)} as data from ${table} t
   where t.organization_id = $1`;

const destinationOf = (alias: string): string =>
  `to_jsonb(${alias}) - ${hidden('id', 'link_id', 'rule_id', 'url_hash', 'deep_link_hashes')}`;

/** Everything that an organization has; a parent comes before its children. */
const parts: readonly Part[] = [
  {
    type: 'organization',
    text: `select to_jsonb(o) - ${hidden('deleted_at')} as data from organizations o where o.id = $1`,
  },
  {
    type: 'member',
    text: `select jsonb_build_object('user_id', u.id, 'type', u.type, 'email', u.email, 'name', u.name, 'role', m.role,
        'created_at', m.created_at) as data
      from memberships m join users u on u.id = m.user_id where m.organization_id = $1`,
  },
  { type: 'invitation', text: rowsOf('invitations') },
  { type: 'session', text: rowsOf('sessions', 'token_hash') },
  { type: 'apiKey', text: `${rowsOf('api_keys', 'key_hash', 'previous_key_hash')} and t.deleted_at is null` },
  { type: 'domain', text: `${rowsOf('domains', 'requeued_at')} and t.deleted_at is null` },
  { type: 'folder', text: `${rowsOf('folders', 'name_key')} and t.deleted_at is null` },
  { type: 'tag', text: `${rowsOf('tags', 'name_key')} and t.deleted_at is null` },
  { type: 'utmTemplate', text: rowsOf('utm_templates', 'name_key') },
  { type: 'file', text: `${rowsOf('files')} and t.deleted_at is null` },
  { type: 'qrCode', text: rowsOf('qr_codes') },
  {
    type: 'link',
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
  },
  {
    type: 'linkChange',
    text: `
      select to_jsonb(c) - ${hidden('number', 'total_bytes')} as data
      from short_links l join link_changes c on c.link_id = l.id where l.organization_id = $1 and l.deleted_at is null`,
  },
  { type: 'activity', text: rowsOf('activities') },
  {
    type: 'webhook',
    text: `
      select jsonb_build_object('id', id, 'name', name, 'url', url, 'events', events, 'is_active', is_active,
        'is_paused', is_paused, 'max_per_second', max_per_second, 'header_names', header_names,
        'scope_folder_ids', scope_folder_ids, 'scope_tag_ids', scope_tag_ids, 'scope_domain_ids', scope_domain_ids,
        'scope_link_ids', scope_link_ids, 'consecutive_failures', consecutive_failures, 'last_failure_at', last_failure_at, 'disabled_at', disabled_at,
        'disabled_reason', disabled_reason, 'created_at', created_at, 'updated_at', updated_at) as data
      from webhooks where organization_id = $1 and deleted_at is null`,
  },
  { type: 'event', text: rowsOf('events') },
  {
    type: 'delivery',
    text: `
      select jsonb_build_object('id', d.id, 'webhook_id', d.webhook_id, 'event_id', d.event_id, 'type', d.type,
        'status', d.status, 'response_code', d.response_code, 'created_at', d.created_at,
        'attempts', coalesce((select jsonb_agg(to_jsonb(a) - ${hidden('delivery_id')} order by a.number)
          from delivery_attempts a where a.delivery_id = d.id), '[]')) as data
      from webhooks w join deliveries d on d.webhook_id = w.id where w.organization_id = $1 and w.deleted_at is null`,
  },
  { type: 'import', text: rowsOf('imports', 'due_at') },
  {
    type: 'importRow',
    text: `select to_jsonb(r) as data from imports i join import_rows r on r.import_id = i.id where i.organization_id = $1`,
  },
  { type: 'auditLine', text: rowsOf('audit_log', 'bucket', 'salt', 'details_hash', 'hash') },
  // The visitor's hash is left out: it links visits of one visitor, and no answer shows it.
  { type: 'click', text: rowsOf('clicks', 'visitor') },
];

/**
 * Reads everything that an organization has, of one moment, some hundred lines in memory at a time. Names are those of the
 * database in camel case; secrets, deleted rows, contents of files, and counts that follow from clicks are left out.
 * @param tx a transaction that has run no statement yet.
 */
export async function* readExport(tx: Sql, organizationId: string): AsyncGenerator<ExportLine> {
  await beginSnapshot(tx);
  for (const { type, text } of parts) {
    for await (const data of readByCursor(tx, { text, values: [organizationId] }))
      yield { type, data: camelCased(data) };
  }
}

// Keys of other nested values are the customer's own.
const ours = new Set(['destination', 'rules', 'meta_tags', 'attempts']);

function camelCased(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name.replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()),
      ours.has(name) ? nestedCamelCased(value) : value,
    ]),
  );
}

function nestedCamelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nestedCamelCased);
  return isObject(value) ? camelCased(value as Record<string, unknown>) : value;
}
