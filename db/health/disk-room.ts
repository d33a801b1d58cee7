import type { Database } from '#db/connection/database.ts';

interface DatabaseRoom {
  /** Whether the last statement that needed room, or the last probe, found none. */
  isFull(): boolean;
  close(): void;
}

interface DatabaseRoomOptions {
  db: Database;
  everyMs?: number;
  /** Gap after a probe that found no room, in milliseconds. */
  againMs?: number;
}

// Writes some 16 MB for the length of the statement: the database may not report the free space of its disk, but cannot write
// more than fits. An update of a row would find a place even on a full disk.
const probe = `
  set local work_mem = '64kB';
  with filler as materialized (select repeat('x', 8000) || number as text from generate_series(1, 2000) as number)
  select count(text) from filler`;

/**
 * Watches the errors of this process's statements, and probes regularly: a full disk is known before a call needs room, and
 * room is found again without a call that tries.
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
      // By hand: it fills a temporary file, and reads no row of an entity; no benchmark runs it.
      await db.transaction((tx) => tx.query(probe));
      full = false;
    } catch {
      // `onDiskFull` has been called for a full disk; other errors say nothing about the disk.
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
