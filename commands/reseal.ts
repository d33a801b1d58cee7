import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { rowContext, type Sealing, SealingError } from '#core/secrets/sealing.ts';
import type { Database } from '#db/connection/database.ts';
import {
  countForeign,
  readForeign,
  replaceSealed,
  type SealedColumn,
  sealedColumns,
  type SealedRow,
} from '#db/sealed-columns.ts';
import { moveFingerprint, requireSecretKey } from '#db/connection/secret-fingerprint.ts';

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
  const em = createEntityManager(db);
  const results = columns.map(({ table, column }) => ({ table, column, resealed: 0, unreadable: 0 }));
  for (let round = 1; round <= maxRounds; round += 1) {
    for (const [index, column] of columns.entries()) {
      const { resealed, unreadable } = await resealColumn(em, sealing, column, batchSize);
      results[index]!.resealed += resealed;
      results[index]!.unreadable = unreadable;
    }
    const lost = results.reduce((sum, { unreadable }) => sum + unreadable, 0);
    if (lost > 0 && !acceptLoss) throw new UnreadableError(results);
    if (await finish(em, sealing, columns, lost)) return results;
  }
  throw new Error(
    'Some process still seals with an earlier key: give every process the new SECRET_KEY first, then run this again.',
  );
}

async function resealColumn(
  em: EntityManager,
  sealing: Sealing,
  column: SealedColumn,
  batchSize: number,
): Promise<{ resealed: number; unreadable: number }> {
  let resealed = 0;
  let unreadable = 0;
  let last: string[] | undefined;
  for (;;) {
    const rows = await readForeign(em, column, sealing.currentPrefix, { after: last, limit: batchSize });
    for (const row of rows) {
      const changed = openAndSeal(sealing, column, row);
      if (changed === undefined) unreadable += 1;
      else if (await replaceSealed(em, column, row, changed)) resealed += 1;
    }
    last = rows.at(-1)?.key;
    if (last === undefined) return { resealed, unreadable };
  }
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

/** Moves the fingerprint, unless rows other than the `lost` ones are sealed with another key. @returns whether it did. */
function finish(em: EntityManager, sealing: Sealing, columns: readonly SealedColumn[], lost: number): Promise<boolean> {
  return em.transactional(async (em) => {
    let remaining = 0;
    for (const column of columns) {
      remaining += await countForeign(em, column, sealing.currentPrefix);
    }
    if (remaining > lost) return false;
    await moveFingerprint(em, sealing.fingerprints[0]!);
    return true;
  });
}
