import { oidcSecretPurpose } from '#core/organizations/oidc.ts';
import { oauthRecordPurpose } from '#core/accounts/connected-apps.ts';
import { totpSecretPurpose } from '#core/accounts/second-factors.ts';
import { webhookHeadersPurpose } from '#core/webhooks/headers.ts';
import { webhookSecretPurpose } from '#core/webhooks/signing.ts';
import type { Sql } from './connection/database.ts';

// By hand, every statement of this file: tables, columns and expressions are values here, which no entity is; no benchmark runs them.

/** A column with sealed bytes. Names and expressions are SQL. */
export interface SealedColumn {
  table: string;
  /** Columns of the primary key. */
  key: readonly string[];
  column: string;
  purpose: string;
  /** Columns that the context is built from (`rowContext`), where these are not the primary key. */
  context?: readonly string[];
  /** Where the sealed bytes are a part of the column. */
  within?: {
    /** The bytes, or null in rows that have none. */
    read: string;
    /** The column's new value, with the new bytes as $1. */
    write: string;
  };
}

/** All columns of the database with sealed bytes. */
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
    within: {
      read: `case when route = '/api-key' then decode(made->>'sealed', 'base64') end`,
      write: `jsonb_set(made, '{sealed}', to_jsonb(translate(encode($1, 'base64'), E'\\n', '')))`,
    },
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
export async function readForeign(
  sql: Sql,
  column: SealedColumn,
  prefix: Buffer,
  { after: last, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<SealedRow[]> {
  const { table, key, context = key } = column;
  const after = last === undefined ? '' : `and (${key.join(', ')}) > (${key.map((_, at) => `$${at + 3}`).join(', ')})`;
  const { rows } = await sql.query<SealedRow>(
    `select ${texts(key)} as key, ${texts(context)} as context, ${sealedIn(column)} as sealed
     from ${table} where ${foreign(column)} ${after} order by ${key.join(', ')} limit $2`,
    [prefix, limit, ...(last ?? [])],
  );
  return rows;
}

/** Replaces the bytes that were read, unless another process has written the row meanwhile. */
export async function replaceSealed(sql: Sql, place: SealedColumn, row: SealedRow, changed: Buffer): Promise<boolean> {
  const { table, key, column, within } = place;
  const { rowCount } = await sql.query(
    `update ${table} set ${column} = ${within?.write ?? '$1'}
     where ${sealedIn(place)} = $2 and (${key.join(', ')}) = (${key.map((_, at) => `$${at + 3}`).join(', ')})`,
    [changed, row.sealed, ...row.key],
  );
  return rowCount === 1;
}

/** Counts the rows that are sealed with another key than that of `prefix`. */
export async function countForeign(sql: Sql, column: SealedColumn, prefix: Buffer): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) as count from ${column.table} where ${foreign(column)}`,
    [prefix],
  );
  return rows[0]!.count;
}

/** SQL of a row's sealed bytes. */
function sealedIn({ column, within }: SealedColumn): string {
  return within?.read ?? column;
}

/** SQL that tells whether a row is sealed with another key than $1. */
function foreign(column: SealedColumn): string {
  const sealed = sealedIn(column);
  return `${sealed} is not null and substring(${sealed} from 1 for octet_length($1::bytea)) <> $1::bytea`;
}

function texts(expressions: readonly string[]): string {
  return `array[${expressions.map((expression) => `${expression}::text`).join(', ')}]`;
}
