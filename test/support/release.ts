import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { vi } from 'vitest';
import { createDatabase, type Sql } from '#db/connection/database.ts';
import { createMigrationOrm } from '#db/connection/orm.ts';
import { createTestApi, type TestApi } from './api.ts';
import { createDelivery } from './deliveries.ts';
import { createOrganization } from './factories.ts';
import { createSignedIn } from './people.ts';
import { createPictures } from './pictures.ts';
import { ingestClicks, testClick } from './stats.ts';
import { createTestDatabase, type TestDatabase } from './stack.ts';
import { upload, writeMultipart } from './upload.ts';

const file = join(import.meta.dirname, '..', 'db', 'release.sql');
const comment = '-- ';

/** The first line of the dump: what the API of that release answered. */
export interface ReleaseFacts {
  /** The newest migration of the release. */
  migration: string;
  takenAt: string;
  /** An API key of the organization that the rows belong to. */
  key: string;
  /** Bodies of answers by path. */
  answers: Record<string, unknown>;
}

/** Reads `test/db/release.sql`. */
export function readRelease(): { facts: ReleaseFacts; sql: string } {
  const sql = readFileSync(file, 'utf8');
  return { facts: JSON.parse(sql.slice(comment.length, sql.indexOf('\n'))) as ReleaseFacts, sql };
}

/** Makes a database without tables. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await runScript(database.url, 'drop schema public cascade; create schema public');
  return database;
}

/** Runs statements divided by semicolons in one round trip, so in one transaction. */
export async function runScript(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Tables of the product by name, with their columns; partitions are read through their table. */
export async function tablesOf(sql: Sql): Promise<Map<string, string[]>> {
  const { rows } = await sql.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by 1 order by 1`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** Rows of a table as JSON texts, in order; only these columns. */
export async function rowsOfTable(sql: Sql, table: string, columns: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ row: string }>(
    `select (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(t)) where key = any($1::text[]))::text as row
     from ${pg.escapeIdentifier(table)} t order by 1`,
    [columns],
  );
  return rows.map(({ row }) => row);
}

/**
 * Writes the dump: the statements of the migrations up to one, rows in every table that today's code and the lines below make,
 * and what the API answers.
 * @throws Error where a table has no row.
 */
export async function writeRelease(migration: string): Promise<void> {
  await using database = await createEmptyDatabase();
  const schema = await recordMigrations(database.url, migration);
  const db = createDatabase({ url: database.url });
  const organization = await createOrganization(db);
  const api = await createTestApi({ besides: { databaseUrl: database.url, organization } });
  try {
    const paths = await fill(api);
    const takenAt = new Date();
    const answers: ReleaseFacts['answers'] = {};
    for (const path of paths) {
      const { status, body } = await api.call('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
      answers[path] = body;
    }
    const facts: ReleaseFacts = { migration, takenAt: takenAt.toISOString(), key: organization.key, answers };
    await api.keyUses.flush();
    const months = await db.query<{ month: string }>(
      `select replace(substr(relname, 9), 'm', '-') as month from pg_class where relname ~ '^clicks_y[0-9]{4}m[0-9]{2}$'`,
    );
    const inserts: string[] = [];
    const empty: string[] = [];
    for (const [table, columns] of await tablesOf(db)) {
      const rows = await rowsOfTable(db, table, columns);
      if (rows.length === 0) empty.push(table);
      inserts.push(
        `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $rows$[\n${rows.join(',\n')}\n]$rows$);`,
      );
    }
    if (empty.length > 0) throw new Error(`Make a row in ${empty.join(', ')}: test/support/release.ts.`);
    const parts = [
      `${comment}${JSON.stringify(facts)}`,
      `${comment}Made by npm run release-dump (docs/release.md); changed by nothing else.`,
      ...schema,
      ...months.rows.map(({ month }) => `select ensure_click_month('${month}');`),
      `${comment}Rows come in the order of their tables: no trigger fires and no foreign key is checked.`,
      'set session_replication_role = replica;',
      ...inserts,
      'reset session_replication_role;',
      `select setval(pg_get_serial_sequence('migrations', 'id'), max(id)) from migrations;`,
      `select setval(pg_get_serial_sequence('outbox', 'id'), max(id)) from outbox;`,
    ];
    writeFileSync(file, `${parts.join('\n')}\n`);
  } finally {
    await api[Symbol.asyncDispose]();
    await db.close();
  }
}

/** Applies migrations. @returns their statements; what they and MikroORM only read is left out. */
async function recordMigrations(url: string, last: string): Promise<string[]> {
  const orm = createMigrationOrm(url);
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await orm.migrator.up({ to: last });
    return spy.mock.calls
      .map(([query, values]: unknown[]) => {
        const { text, values: own } =
          typeof query === 'string' ? { text: query, values } : (query as { text: string; values?: unknown[] });
        // With values: the rows of the table of migrations, which are dumped as rows.
        return Array.isArray(own) && own.length > 0 ? '' : text.trim().replace(/;$/, '');
      })
      .filter(
        (text) =>
          text !== '' && !/^(select|begin|commit|savepoint|release|start)\b|^insert into "migrations"/i.test(text),
      )
      .map((text) => `${text};`);
  } finally {
    spy.mockRestore();
    await orm.close();
  }
}

/** Makes rows in every table. @returns paths of the API that show them. */
async function fill(api: TestApi): Promise<string[]> {
  const { db, organization } = api;
  const made = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, options?: object) => {
    const answer = await api.call(method, path, body, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const link = (path: string) => ({ type: 'link', value: `https://example.com/${path}` });
  const { body: image } = await upload(api, 'meta-tag', [{ content: (await createPictures()).png }]);
  const folder = await made('POST', '/folder', { name: 'Autumn', color: '#112233' });
  const domain = await made('POST', '/domain', { domain: 'go.example.com' });
  const webhook = await made('POST', '/webhook', {
    url: 'https://hooks.example.com/waymark',
    events: ['link.created', 'link.clicked'],
  });
  const whole = await made(
    'POST',
    '/short-link',
    {
      destination: { ...link('whole'), enableDeepLinking: true, iosDeepLink: 'example://whole' },
      slug: 'whole',
      title: 'Every field',
      externalId: 'whole-1',
      folderId: folder.id,
      tags: ['red', 'blue'],
      rules: [{ priority: 0, countries: ['DE'], languages: ['de'], osTypes: ['ios'], destination: link('rule') }],
      metaTags: { title: 'Preview', description: 'Of the link', imageId: image.id },
      qrCode: { options: { width: 300 } },
      maxClicks: 1_000,
      password: 'a password of the link',
      expiresAt: '2099-01-01T00:00:00.000Z',
      expiredUrl: 'https://example.com/expired',
      cloaking: false,
      forwardQuery: true,
      utmSource: 'release',
    },
    { headers: { 'idempotency-key': 'release-1' } },
  );
  await made('POST', '/short-link/bulk', {
    links: Array.from({ length: 5 }, (_, index) => ({ destination: link(`bulk/${index}`), slug: `bulk-${index}` })),
  });
  const gone = await made('POST', '/short-link', { destination: link('gone'), slug: 'gone' });
  await made('DELETE', `/short-link/${gone.id}`);
  const csv = writeMultipart([{ filename: 'links.csv', content: 'keyword,url\nfrom-file,https://example.com/file\n' }]);
  const started = await made('POST', '/short-link/import', undefined, csv);
  const { id: organizationId } = organization;
  const { rows: domains } = await db.query<{ id: string }>('select domain_id as id from short_links where id = $1', [
    whole.id,
  ]);
  const ids = { organizationId, linkId: whole.id, domainId: domains[0]!.id, folderId: folder.id };
  await ingestClicks(db, [
    testClick({ ...ids, country: 'DE', browser: 'firefox', os: 'linux', utmSource: 'release', referer: 'example.org' }),
    testClick({ ...ids, country: 'FR', device: 'mobile', isQrCode: true }),
  ]);
  const { id: userId } = await createSignedIn(db, organizationId, 'owner');
  await made('PATCH', `/short-link/${whole.id}`, { title: 'Every field, changed' });
  const person = { user_id: userId };
  await createDelivery(db, webhook.id);

  // Rows that the worker, an edge or staff make.
  const now = new Date();
  const [id, bytes, hash] = [uuidv7(), '\\x0102', `\\x${'ab'.repeat(32)}`];
  const by = { organization_id: organizationId };
  const day = now.toISOString().slice(0, 10);
  // Long before the clicks above, whose day is not rolled up yet.
  const monday = '2024-01-01';
  const { rows: deliveries } = await db.query<{ id: string }>('select id from deliveries limit 1');
  const others: Record<string, object> = {
    account_notices: { id, ...person, kind: 'newDevice', details: {}, created_at: now },
    audit_chains: { id: organizationId, length: 0, head: '', kept_from: 0, kept_after: '' },
    audit_log: { id, at: now, action: 'test', organization_id: organizationId, details: { a: [1] }, caller: 'cli' },
    click_rolls: { ...by, day: monday, quarters: 96, clicks: 2, unrolled: 0 },
    click_values: { ...by, dimension: 1, day: monday, groups: ['DE', 'FR'], counts: [1, 1] },
    click_week_rolls: { ...by, day: monday, clicks: 2, unrolled: 0 },
    click_week_values: { ...by, dimension: 1, day: monday, groups: ['DE', 'FR'], counts: [1, 1] },
    delivery_attempts: { delivery_id: deliveries[0]!.id, number: 1, at: now, code: 500, duration_ms: 12, body: 'no' },
    installation: { key: 'test', value: { a: 1 }, created_at: now, updated_at: now },
    journals: { id },
    link_caps: { link_id: whole.id, granted: 7, set_at: now },
    link_password_failures: { link_id: whole.id, client: 'a client', failed_at: [now], last_failed_at: now },
    password_resets: { id, account: bytes, created_at: now, expires_at: now },
    rate_windows: { subject: id, second_at: now, second_used: 1, minute_at: now, minute_used: 1, granted: 1 },
    scan_days: { ...by, day, scans: 3, is_spent: false },
    sign_in_failures: { id, account: bytes, client: 'a client', failed_at: now },
    threat_list_chunks: { threat_type: 'MALWARE', version: 1, position: 0, prefix_size: 4, prefixes: '\\x01020304' },
    threat_lists: {
      threat_type: 'MALWARE',
      version: 1,
      version_token: bytes,
      checksum: hash,
      entries: 1,
      changed_at: now,
      checked_at: now,
      next_diff_at: now,
    },
    event_scopes: { event_id: id, folder_id: folder.id, domain_id: ids.domainId, tag_ids: [] },
    invitations: {
      id,
      ...by,
      email: 'b@example.com',
      role: 'member',
      created_at: now,
      expires_at: now,
      mail_wanted_at: now,
      earlier_mails: [],
    },
    known_devices: { ...person, token_hash: hash, created_at: now, last_seen_at: now },
    link_reports: {
      id,
      ...by,
      link_id: whole.id,
      reports: 1,
      notes: ['no'],
      clients: ['a client'],
      created_at: now,
      reported_at: now,
    },
    oidc_identities: { ...person, issuer: 'https://id.example.com', subject: 'a', created_at: now, last_used_at: now },
    oidc_providers: {
      ...by,
      issuer: 'https://id.example.com',
      client_id: 'a client',
      client_secret_sealed: bytes,
      email_domain: 'example.com',
      created_at: now,
      updated_at: now,
    },
    passkeys: {
      id,
      ...person,
      credential_id: bytes,
      public_key: bytes,
      sign_count: 1,
      transports: [],
      name: 'a key',
      created_at: now,
    },
    recovery_codes: { ...person, code_hash: hash, created_at: now },
    scan_batches: { id, created_at: now, subject_ids: [id], link_ids: [whole.id] },
    spent_challenges: { id_hash: hash, expires_at: now },
    staff_views: { id, ...person, ...by, reason: 'a reason', began_at: now, until: now },
    taken_down_names: { slug_key: 'down', domain: 'localhost:3001', link_id: id, ...by, taken_down_at: now },
    totp_factors: { ...person, secret_sealed: bytes, last_step: 1, created_at: now },
    utm_templates: { id, ...by, name: 'A', name_key: 'a', utm_source: 'release', created_at: now, updated_at: now },
    threat_notices: { ...by, url_hash: hash, found_at: now },
    threat_verdicts: {
      url_hash: hash,
      url: 'https://example.com/',
      threat_types: ['MALWARE'],
      scanned_at: now,
      expires_at: now,
      lane: 0,
    },
    visitor_keys: { month: day.slice(0, 7), key: `\\x${'cd'.repeat(64)}`, created_at: now },
    webhook_recoveries: {
      webhook_id: webhook.id,
      since: now,
      until: now,
      after_at: now,
      after_id: id,
      created_at: now,
    },
    workers: { id, host: 'a host', pid: 1, version: '0', started_at: now, heard_at: now, takes_tasks: true },
    hidden_links: { ...by, link_id: uuidv7(), purge_id: null },
    event_queue: { event_id: id },
    purges: { id, kind: 'folder', ...by, links: 1, told_to: id, deleted_at: now, due_at: now },
  };
  for (const [table, row] of Object.entries(others)) {
    const names = Object.keys(row).join(', ');
    await db.query(
      `insert into ${table} (${names}) select ${names} from jsonb_populate_record(null::${table}, $1) on conflict do nothing`,
      [JSON.stringify(row)],
    );
  }
  return [
    `/short-link/${whole.id}`,
    '/short-link/list',
    `/short-link/import/${started.id}`,
    '/stats/overview?groupBy=country',
    '/stats/clicks',
    '/folder/list',
    '/tag/list',
    `/domain/${domain.id}`,
    `/webhook/${webhook.id}`,
    '/files/list',
  ];
}
