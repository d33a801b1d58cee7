import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '#db/connection/database.ts';

/** Default column values of test rows; columns without an entry have the database's default. */
const rowDefaults = {
  audit_log: () => ({ id: uuidv7(), caller: 'member', action: 'test', details: {} }),
  connected_apps: () => ({
    id: uuidv7(),
    client_id: uuidv7(),
    name: 'Claude Desktop',
    redirect_host: 'claude.ai',
    is_by_provider: false,
    created_at: new Date(),
    last_used_at: new Date(),
    expires_at: secondsAgo(-86_400),
  }),
  delivery_attempts: () => ({ number: 1, at: new Date(), duration_ms: 1 }),
  domains: () => ({ id: uuidv7(), domain: `${uuidv7()}.example`, txt_record: 'waymark-verify=test' }),
  idempotency_keys: () => ({ fingerprint: Buffer.alloc(1), claim: uuidv7(), claimed_until: new Date() }),
  journals: () => ({ id: uuidv7() }),
  link_caps: () => ({}),
  link_counters: () => ({}),
  meta_tags: () => ({}),
  outbox: () => ({ kind: 'threat-scan', subject_id: uuidv7() }),
  qr_codes: () => ({ id: uuidv7(), options: {} }),
  request_log: () => ({
    id: uuidv7(),
    at: new Date(),
    method: 'GET',
    path: '/tag/list',
    status: 200,
    user_id: uuidv7(),
    latency_ms: 1,
    is_request_cut: false,
    is_answer_cut: false,
  }),
  sessions: () => ({ id: uuidv7(), expires_at: secondsAgo(-86_400) }),
  threat_verdicts: () => ({ threat_types: [], scanned_at: new Date(), expires_at: new Date() }),
  webhooks() {
    const id = uuidv7();
    const url = `https://receiver.example/${id}`;
    return { id, url, url_key: url, events: ['link.created'], secret_sealed: Buffer.alloc(0) };
  },
} satisfies Record<string, () => Record<string, unknown>>;

/** Inserts one row, its columns named as in the database. @returns the row as it stands. */
// oxlint-disable-next-line typescript/no-explicit-any -- each table has other columns, and a test reads columns that it knows
export async function insertRow(db: Sql, table: keyof typeof rowDefaults, columns: object = {}): Promise<any> {
  const row = { ...rowDefaults[table](), ...columns };
  const names = Object.keys(row);
  const { rows } = await db.query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})
     returning *`,
    Object.values(row),
  );
  return rows[0];
}

/** A moment so many seconds ago; negative: ahead. */
export const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

/** Every column of any table that has one of some names. */
async function columnsOf(sql: Sql, ...names: string[]): Promise<{ table: string; column: string }[]> {
  const { rows } = await sql.query<{ table: string; column: string }>(
    `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = any($1::text[])`,
    [names],
  );
  return rows;
}

/** Where ids are still named, by columns of some names. @returns `table.column` of each. */
export async function tracesOf(sql: Sql, ids: readonly string[], ...names: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column } of await columnsOf(sql, ...names)) {
    const { rowCount } = await sql.query(`select from ${table} where ${column} = any($1::uuid[])`, [ids]);
    if (rowCount) found.push(`${table}.${column}`);
  }
  return found;
}

/** All rows that tell of an organization or of its links, by table. */
export async function rowsOf(
  sql: Sql,
  { organization, links }: { organization: { id: string }; links: readonly { id: string }[] },
): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  const linkIds = links.map(({ id }) => id);
  for (const { table, column } of await columnsOf(sql, 'organization_id', 'link_id')) {
    const { rows } = await sql.query(
      `select to_jsonb(t) as row from ${table} t where ${column} = any($1::uuid[]) order by to_jsonb(t)::text`,
      [column === 'link_id' ? linkIds : [organization.id]],
    );
    all[`${table}.${column}`] = rows;
  }
  return all;
}
