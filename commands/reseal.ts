import { oidcSecretPurpose } from '#core/organizations/oidc.ts';
import { totpSecretPurpose } from '#core/accounts/second-factors.ts';
import { rowContext, type Sealing, SealingError } from '#core/secrets/sealing.ts';
import { webhookHeadersPurpose } from '#core/webhooks/headers.ts';
import { webhookSecretPurpose } from '#core/webhooks/signing.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import { moveFingerprint, requireSecretKey } from '#db/connection/secret-fingerprint.ts';

// By hand: tables, columns and expressions are values here.
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
  { table: 'totp_factors', key: ['user_id'], column: 'secret_sealed', purpose: totpSecretPurpose },
];

/** Counts of a column: rows sealed anew, and rows that none of the keys opens. */
interface ResealedColumn {
  table: string;
  column: string;
  resealed: number;
  unreadable: number;
}

interface ResealOptions {
  columns?: readonly SealedColumn[];
  batchSize?: number;
  /** Skips rows that no key opens; they stay as they are. */
  acceptLoss?: boolean;
}

/** Some rows are opened by none of the keys; the fingerprint was not moved. */
export class UnreadableError extends Error {
  readonly columns: readonly ResealedColumn[];

  constructor(columns: readonly ResealedColumn[]) {
    const lost = columns.filter(({ unreadable }) => unreadable > 0);
    const counts = lost.map(({ table, column, unreadable }) => `${unreadable} of ${table}.${column}`).join(', ');
    super(
      `SECRET_KEY lists no key that opens ${counts}. List the earlier key too and run this again; ` +
        'where it is lost, --accept-loss goes on without these rows.',
    );
    this.name = 'UnreadableError';
    this.columns = columns;
  }
}

// Processes with the earlier key first may seal rows meanwhile: so often the last look may find some.
const maxRounds = 5;

/**
 * Seals every row with the first secret key, and makes that key the database's; the other keys may be dropped afterwards. Works
 * in batches, beside running processes; a repeated call continues where an interrupted one stopped.
 * @throws SecretKeyError where none of the keys is the database's, UnreadableError where some rows open with none of them;
 * neither with `acceptLoss`.
 */
export async function reseal(
  db: Database,
  sealing: Sealing,
  { columns = sealedColumns, batchSize = 200, acceptLoss = false }: ResealOptions = {},
): Promise<ResealedColumn[]> {
  if (!acceptLoss) await requireSecretKey(db, sealing);
  const results = columns.map(({ table, column }) => ({ table, column, resealed: 0, unreadable: 0 }));
  for (let round = 1; round <= maxRounds; round += 1) {
    for (const [index, column] of columns.entries()) {
      const { resealed, unreadable } = await resealColumn(db, sealing, column, batchSize);
      results[index]!.resealed += resealed;
      results[index]!.unreadable = unreadable;
    }
    const lost = results.reduce((sum, { unreadable }) => sum + unreadable, 0);
    if (lost > 0 && !acceptLoss) throw new UnreadableError(results);
    if (await finish(db, sealing, columns, lost)) return results;
  }
  throw new Error(
    'Some process still seals with an earlier key: give every process the new SECRET_KEY first, then run this again.',
  );
}

interface SealedRow {
  key: string[];
  context: string[];
  sealed: Buffer;
}

async function resealColumn(
  db: Database,
  sealing: Sealing,
  column: SealedColumn,
  batchSize: number,
): Promise<{ resealed: number; unreadable: number }> {
  let resealed = 0;
  let unreadable = 0;
  let last: string[] | undefined;
  for (;;) {
    const rows = await readBatch(db, sealing, column, batchSize, last);
    for (const row of rows) {
      const changed = openAndSeal(sealing, column, row);
      if (changed === undefined) unreadable += 1;
      else if (await replace(db, column, row, changed)) resealed += 1;
    }
    last = rows.at(-1)?.key;
    if (last === undefined) return { resealed, unreadable };
  }
}

/** Rows after `last` that are sealed with another key than the first. */
async function readBatch(
  sql: Sql,
  { currentPrefix }: Sealing,
  column: SealedColumn,
  limit: number,
  last: readonly string[] | undefined,
): Promise<SealedRow[]> {
  const { table, key, context = key } = column;
  const after = last === undefined ? '' : `and (${key.join(', ')}) > (${key.map((_, at) => `$${at + 3}`).join(', ')})`;
  const { rows } = await sql.query<SealedRow>(
    `select ${texts(key)} as key, ${texts(context)} as context, ${sealedIn(column)} as sealed
     from ${table} where ${foreign(column)} ${after} order by ${key.join(', ')} limit $2`,
    [currentPrefix, limit, ...(last ?? [])],
  );
  return rows;
}

function openAndSeal(sealing: Sealing, { purpose }: SealedColumn, { context, sealed }: SealedRow): Buffer | undefined {
  const place = rowContext(...context);
  try {
    return sealing.seal(purpose, sealing.open(purpose, sealed, place), place);
  } catch (error) {
    if (error instanceof SealingError) return undefined;
    throw error;
  }
}

/** Replaces the bytes that were read, unless another process has written the row meanwhile. */
async function replace(sql: Sql, place: SealedColumn, row: SealedRow, changed: Buffer): Promise<boolean> {
  const { table, key, column, within } = place;
  const { rowCount } = await sql.query(
    `update ${table} set ${column} = ${within?.write ?? '$1'}
     where ${sealedIn(place)} = $2 and (${key.join(', ')}) = (${key.map((_, at) => `$${at + 3}`).join(', ')})`,
    [changed, row.sealed, ...row.key],
  );
  return rowCount === 1;
}

/** Moves the fingerprint, unless rows other than the `lost` ones are sealed with another key. @returns whether it did. */
function finish(db: Database, sealing: Sealing, columns: readonly SealedColumn[], lost: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    let remaining = 0;
    for (const column of columns) {
      const { rows } = await tx.query<{ count: number }>(
        `select count(*) as count from ${column.table} where ${foreign(column)}`,
        [sealing.currentPrefix],
      );
      remaining += rows[0]!.count;
    }
    if (remaining > lost) return false;
    await moveFingerprint(tx, sealing.fingerprints[0]!);
    return true;
  });
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
