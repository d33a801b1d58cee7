import type { Database } from '#db/connection/database.ts';

/** Watches whether the machine of the database has room on its disk. */
interface DatabaseRoom {
  /** Whether the last statement that needed room, or the last look, found none. */
  isFull(): boolean;
  close(): void;
}

/** Settings of `createDatabaseRoom`; the times are for tests. */
interface DatabaseRoomOptions {
  db: Database;
  /** How often it is looked unasked. */
  everyMs?: number;
  /** How soon after room was found lacking. */
  againMs?: number;
}

// Kept in a file for the time of the statement alone: the database may not say how much room its disk has, but cannot write
// what does not fit. Some 16 MB; an update of a row finds a place even where nothing else does.
const probe = `
  with filler as materialized (select repeat('x', 8000) || number as text from generate_series(1, 2000) as number)
  select count(text) from filler`;

/**
 * Watches it: by what statements of this process fail with, and by a statement of its own now and then, so that a full disk
 * is known before somebody has something to write, and known to have room again without anybody trying.
 */
export function createDatabaseRoom({ db, everyMs = 60_000, againMs = 5_000 }: DatabaseRoomOptions): DatabaseRoom {
  let full = false;
  let isClosed = false;
  let timer: NodeJS.Timeout;

  const plan = (): void => {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => void look(), full ? againMs : everyMs);
    timer.unref();
  };

  async function look(): Promise<void> {
    try {
      await db.transaction(async (tx) => {
        await tx.query(`set local work_mem = '64kB'`);
        await tx.query(probe);
      });
      full = false;
    } catch {
      // `onDiskFull` has heard of it; whatever else it was says nothing of the disk.
    }
    plan();
  }

  db.errors.onDiskFull = () => {
    if (full) return;
    full = true;
    plan();
  };
  void look();
  return {
    isFull: () => full,
    close() {
      isClosed = true;
      db.errors.onDiskFull = undefined;
      clearTimeout(timer);
    },
  };
}
