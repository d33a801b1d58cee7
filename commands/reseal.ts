import { rowContext, type Sealing, SealingError } from '#core/secrets/sealing.ts';
import { webhookSecretPurpose } from '#core/webhooks/secret.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import { moveFingerprint, requireSecretKey } from '#db/connection/secret-fingerprint.ts';

/** Where something sealed lies. Names and expressions are SQL. */
export interface SealedColumn {
  table: string;
  /** The primary key's columns. */
  key: readonly string[];
  column: string;
  purpose: string;
  /** What the context is made of (`rowContext`), where that is not the primary key. */
  context?: readonly string[];
  /** Where the sealed bytes lie within the column, if they are not all of it. */
  within?: {
    /** The bytes, or null in rows that have none. */
    read: string;
    /** The column's new value, with the new bytes as $1. */
    write: string;
  };
}

/** Everything sealed that the database holds. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'idempotency_keys',
    key: ['organization_id', 'route', 'key'],
    column: 'answer',
    purpose: 'idempotency',
  },
  {
    // An API key that was made by a call that died before it could answer.
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
];

/** What `reseal` did in a column: rows sealed anew, and rows that none of the keys opens. */
interface ResealedColumn {
  table: string;
  column: string;
  resealed: number;
  unreadable: number;
}

/** Settings of `reseal`. */
interface ResealOptions {
  columns?: readonly SealedColumn[];
  batchSize?: number;
  /** Goes on without what no key opens; those rows stay as they are. */
  acceptLoss?: boolean;
}

/** Something sealed is opened by none of the keys; the fingerprint was not moved. */
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

// How often the last look may find rows that a process with the earlier key first has sealed meanwhile.
const maxRounds = 5;

/**
 * Seals everything with the first secret key and makes that key the database's; the other keys may be dropped then. In
 * batches, beside running processes; what was cut off goes on where it stopped.
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

/** Replaces what was read, unless somebody wrote there meanwhile. */
async function replace(sql: Sql, place: SealedColumn, row: SealedRow, changed: Buffer): Promise<boolean> {
  const { table, key, column, within } = place;
  const { rowCount } = await sql.query(
    `update ${table} set ${column} = ${within?.write ?? '$1'}
     where ${sealedIn(place)} = $2 and (${key.join(', ')}) = (${key.map((_, at) => `$${at + 3}`).join(', ')})`,
    [changed, row.sealed, ...row.key],
  );
  return rowCount === 1;
}

/** Moves the fingerprint, if nothing but the `lost` rows is sealed with another key. @returns whether it did. */
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
