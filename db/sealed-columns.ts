import { oidcSecretPurpose } from '#core/organizations/oidc.ts';
import { oauthRecordPurpose } from '#core/accounts/connected-apps.ts';
import { totpSecretPurpose } from '#core/accounts/second-factors.ts';
import { webhookHeadersPurpose } from '#core/webhooks/headers.ts';
import { webhookSecretPurpose } from '#core/webhooks/signing.ts';
import { type RawBuilder, sql } from 'kysely';
import type { EntityManager } from './connection/entity-manager.ts';

// Tables and columns are values here.
type AnyTables = Record<string, Record<string, unknown>>;

/** A column with sealed bytes, by the names of the database. */
export interface SealedColumn {
  table: string;
  /** Columns of the primary key. */
  key: readonly string[];
  column: string;
  purpose: string;
  /** SQL of what the context is built from (`rowContext`), where that is not the primary key. */
  context?: readonly string[];
  /** Where the sealed bytes are a part of the column: the bytes, or null in rows that have none. */
  read?: RawBuilder<unknown>;
  /** The column's value with other bytes. */
  write?: (sealed: Buffer) => RawBuilder<unknown>;
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'idempotency_keys',
    key: ['organization_id', 'route', 'key'],
    column: 'answer',
    purpose: 'idempotency',
  },
  {
    // A new API key, of a call that died before it could answer.
    table: 'idempotency_keys',
    key: ['organization_id', 'route', 'key'],
    column: 'made',
    purpose: 'made API key',
    context: [`made->>'id'`],
    read: sql`case when route = '/api-key' then decode(made->>'sealed', 'base64') end`,
    write: (sealed) => sql`jsonb_set(made, '{sealed}', to_jsonb(${sealed.toString('base64')}::text))`,
  },
  { table: 'webhooks', key: ['id'], column: 'secret_sealed', purpose: webhookSecretPurpose },
  { table: 'webhooks', key: ['id'], column: 'previous_secret_sealed', purpose: webhookSecretPurpose },
  { table: 'webhooks', key: ['id'], column: 'headers_sealed', purpose: webhookHeadersPurpose },
  { table: 'oidc_providers', key: ['organization_id'], column: 'client_secret_sealed', purpose: oidcSecretPurpose },
  { table: 'oauth_records', key: ['kind', 'id_hash'], column: 'payload_sealed', purpose: oauthRecordPurpose },
  { table: 'totp_factors', key: ['user_id'], column: 'secret_sealed', purpose: totpSecretPurpose },
];

/** A row with sealed bytes: its primary key, and the values that the context is built from. */
export interface SealedRow {
  key: string[];
  context: string[];
  sealed: Buffer;
}

/** Reads rows that are sealed with another key than that of `prefix`, in the order of their keys. @param after a key, not included. */
export function readForeign(
  em: EntityManager,
  column: SealedColumn,
  prefix: Buffer,
  { after, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<SealedRow[]> {
  const { key, context = key } = column;
  let rows = selectForeign(em, column, prefix)
    .select([texts(key).as('key'), texts(context).as('context'), sealedIn(column).as('sealed')])
    .orderBy(refs(key))
    .limit(limit);
  if (after !== undefined) rows = rows.where(sql<boolean>`(${refs(key)}) > (${sql.join(after)})`);
  return rows.execute();
}

/** Replaces the bytes that were read, unless another process has written the row meanwhile. */
export async function replaceSealed(
  em: EntityManager,
  place: SealedColumn,
  row: SealedRow,
  changed: Buffer,
): Promise<boolean> {
  const { table, key, column, write = (sealed) => sql`${sealed}` } = place;
  const { numUpdatedRows } = await em
    .getKysely<AnyTables>()
    .updateTable(table)
    .set({ [column]: write(changed) })
    .where(sealedIn(place), '=', row.sealed)
    .where(sql<boolean>`(${refs(key)}) = (${sql.join(row.key)})`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Counts the rows that are sealed with another key than that of `prefix`. */
export async function countForeign(em: EntityManager, column: SealedColumn, prefix: Buffer): Promise<number> {
  const counted = selectForeign(em, column, prefix).select(({ fn }) => fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

/** The rows that are sealed with another key than that of `prefix`. */
function selectForeign(em: EntityManager, column: SealedColumn, prefix: Buffer) {
  const sealed = sealedIn(column);
  return em
    .getKysely<AnyTables>()
    .selectFrom(column.table)
    .where(sealed, 'is not', null)
    .where(sql<boolean>`substring(${sealed} from 1 for ${prefix.length}) <> ${prefix}`);
}

const sealedIn = ({ column, read = sql.ref(column) }: SealedColumn): RawBuilder<Buffer> => sql`${read}`;
const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));
const texts = (columns: readonly string[]) =>
  sql<string[]>`array[${sql.join(columns.map((column) => sql`${sql.raw(column)}::text`))}]`;
