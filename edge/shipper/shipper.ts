import { join } from 'node:path';
import type { PoolClient } from 'pg';
import type { Database } from '#db/connection/database.ts';
import {
  finishJournal,
  forgetFinishedJournals,
  type JournalOffset,
  noteCounted,
  readOffset,
} from '#db/clicks/ingest.ts';
import { lockJournal, unlockJournal } from '#db/clicks/journal-lock.ts';
import { createPartitions } from '#db/clicks/partitions.ts';
import type { Journal } from '#edge/journal/journal.ts';
import { createOwnerWatch, unseenMs, writeOwner } from '#edge/journal/owner.ts';
import { countRejected, endOfFiles, isUnfinished, listJournals, removeJournal } from '#edge/journal/segments.ts';
import { createConnections } from './connections.ts';
import { within } from './deadline.ts';
import { isBefore, isSame } from './offset.ts';
import { createShip, type Shipment } from './ship.ts';

/** What the shipper says to the log. */
export interface ShipperLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** How far clicks on disk are behind the database. */
export interface ShipperState {
  /** Age in milliseconds of the oldest click of this process that is not in the database. */
  lagMs: number;
  /** Bytes of this process's journal that are not in the database. */
  waitingBytes: number;
  /** Records set aside because the database refused them. */
  rejected: number;
}

/** Moves clicks from journals into the database. */
export interface Shipper {
  start(): void;
  state(): ShipperState;
  /** Ships what visitors made clicks so far, at once, and says in the database that this is done for a cap set at `moment`. */
  count(moment: string): void;
  /** Ships what is left, for at most `deadlineMs`, and stops. True: this process's journal is shipped whole and removed. */
  close(deadlineMs: number): Promise<boolean>;
}

/** Settings of `createShipper`. */
export interface ShipperOptions {
  database: Database;
  /** This process's own journal. */
  journal: Journal;
  /** Folder of all journals; those of dead processes are adopted. */
  root: string;
  log: ShipperLog;
  /** Unix time in milliseconds. */
  now(): number;
  /** After what silence a process on another machine counts as dead, and how long it may still write then; set by tests. */
  silence?: { afterMs: number; unseenMs: number };
}

// Clicks gather for so long before they are shipped; statistics may be 2 s behind (5.5).
const gatherMs = 200;
// With more than this waiting, nothing need gather.
const fewBytes = 512 * 1_024;
// So long a visit that was begun may take until its click is written.
const settleMs = 10;
const adoptEveryMs = 2_000;
// For a write that was begun just before.
const graceMs = 500;
const forgetEveryMs = 3_600_000;
const firstPauseMs = 100;
const longestPauseMs = 1_000;

/** Ships one connection's worth at a time: this process's journal first, then those that dead processes left. */
export function createShipper({ database, journal, root, log, now, silence }: ShipperOptions): Shipper {
  const ownerOf = createOwnerWatch(silence?.afterMs);
  /** Journals that this process has signed: what interrupts their shipping does not make them a living process's. */
  const taken = new Set<string>();
  let rejected = 0;
  const closing = new AbortController();
  /** The time for closing is up. */
  let isOver = false;
  let running: Promise<void> | undefined;
  let isRemoved = false;
  let wake: (() => void) | undefined;
  /** Everything written before this moment (performance.now) is in the database. */
  let caughtUpAt = performance.now();
  let isCaughtUp = true;
  let adoptAt = 0;
  let forgetAt = 0;
  const connections = createConnections(database);
  let ownOffset: JournalOffset = { segment: 1, position: 0 };
  /** Caps were set until `moment`, and the clicks before that end there. */
  let asked: { moment: string; end: JournalOffset } | undefined;

  const ship = createShip({
    partitions: createPartitions(database, (error) =>
      log.warn({ err: error }, 'a partition of clicks could not be made'),
    ),
    onRejected(count) {
      rejected += count;
      log.warn({ count }, 'clicks were set aside: the database refuses them');
    },
    now,
    withSecond: connections.withSecond,
  });

  journal.onWrite(() => {
    if (!isCaughtUp) return;
    isCaughtUp = false;
    caughtUpAt = performance.now();
    wake?.();
  });

  /** Waits until something is written, at most `ms`; not at all while closing. */
  function rest(ms: number, isWoken: boolean): Promise<void> {
    if (closing.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      function end(): void {
        clearTimeout(timer);
        wake = undefined;
        resolve();
      }
      // Closing wakes in any case.
      wake = () => {
        if (isWoken || asked !== undefined || closing.signal.aborted) end();
      };
    });
  }

  /** Answers who asked for clicks to be counted, once they are. */
  async function tellCounted(client: PoolClient, own: Shipment): Promise<void> {
    // Where nothing is left to ship, a segment that was only begun may lie ahead.
    if (asked === undefined || (!isCaughtUp && isBefore(own.offset, asked.end))) return;
    const { moment } = asked;
    asked = undefined;
    await within(client, noteCounted(client, own.journalId, moment));
  }

  /** Ships what visitors have made clicks so far; those that come meanwhile have their turn when others had theirs. */
  async function shipOwn(client: PoolClient, own: Shipment): Promise<void> {
    const readAt = performance.now();
    const end = journal.end();
    for (let isLeft = true; isLeft;) {
      isLeft = (await ship(client, own, end)) && !isSame(own.offset, end);
      ownOffset = own.offset;
      journal.shippedTo(ownOffset);
      await tellCounted(client, own);
    }
    if (isSame(end, journal.end())) isCaughtUp = true;
    else caughtUpAt = readAt;
  }

  /** Ships the journals of dead processes. */
  async function adopt(client: PoolClient, own: Shipment): Promise<void> {
    for (const id of await listJournals(root)) {
      const directory = join(root, id);
      if (id === journal.id || !(await isUnfinished(directory))) continue;
      const owner = taken.has(id) ? 'silent' : ownerOf(directory);
      if (owner === 'alive' || !(await lockJournal(client, id))) continue;
      // One that was only suspended sees then that the journal is not its own; what it writes until it looks is shipped too.
      if (owner === 'silent' && !takeOver(id, directory)) {
        await unlockJournal(client, id);
        continue;
      }
      const settledAt = owner === 'silent' ? performance.now() + (silence?.unseenMs ?? unseenMs) + graceMs : 0;
      const shipment = { journalId: id, directory, offset: await readOffset(client, id) };
      for (let isSettled = false; !isSettled;) {
        isSettled = performance.now() >= settledAt;
        const end = await endOfFiles(directory);
        // Visitors' own clicks do not wait for old ones.
        while (await ship(client, shipment, end)) {
          await shipOwn(client, own);
          if (closing.signal.aborted) return;
        }
        if (!isSettled) await rest(gatherMs, false);
        await shipOwn(client, own);
        if (closing.signal.aborted) return;
      }
      await finishJournal(client, id);
      await removeJournal(directory);
      await unlockJournal(client, id);
      log.info({ journal: id }, 'shipped the journal of a process that has ended');
    }
  }

  function takeOver(id: string, directory: string): boolean {
    try {
      writeOwner(directory);
      taken.add(id);
      return true;
    } catch (error) {
      log.warn({ err: error, directory }, 'the journal of a silent process cannot be taken over now');
      return false;
    }
  }

  /** Works on one connection until it fails or the shipper is closed. */
  async function work(client: PoolClient, onReady: () => void): Promise<void> {
    // The server may not have noticed yet that this process's last connection is gone.
    while (!(await lockJournal(client, journal.id))) await new Promise((resolve) => setTimeout(resolve, firstPauseMs));
    onReady();
    const own = { journalId: journal.id, directory: journal.directory, offset: await readOffset(client, journal.id) };
    while (!closing.signal.aborted) {
      await shipOwn(client, own);
      await tellCounted(client, own);
      if (performance.now() >= adoptAt) {
        // With nothing to ship it would not be seen that the connection is gone, and the lock on the journal with it.
        await within(client, client.query('select 1'));
        await adopt(client, own);
        adoptAt = performance.now() + adoptEveryMs;
      }
      if (performance.now() >= forgetAt) {
        await within(client, forgetFinishedJournals(client));
        forgetAt = performance.now() + forgetEveryMs;
      }
      if (isCaughtUp && asked === undefined) await rest(Math.max(0, adoptAt - performance.now()), true);
      // What comes together is shipped together.
      const isFew = journal.bytesSince(own.offset) < fewBytes;
      if (!isCaughtUp && asked === undefined && isFew) await rest(gatherMs, false);
    }
    do await shipOwn(client, own);
    while (!isCaughtUp);
    await finishJournal(client, journal.id);
    await removeJournal(journal.directory);
    isRemoved = true;
  }

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    let wasTold = false;
    const onReady = (): void => {
      if (wasTold) log.info({}, 'clicks are shipped again');
      wasTold = false;
      pauseMs = firstPauseMs;
    };
    for (;;) {
      let connection: PoolClient | undefined;
      try {
        connection = await connections.connect();
        await work(connection, onReady);
        return;
      } catch (error) {
        if (!wasTold) log.warn({ err: error }, 'clicks cannot be shipped now; they are kept on disk');
        wasTold = true;
      } finally {
        // Its locks end with it.
        if (connection !== undefined) connections.release(connection, true);
      }
      // While closing, a connection that broke is worth another one; a database that is away is not worth the wait.
      if (closing.signal.aborted && (isOver || connection === undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, closing.signal.aborted ? firstPauseMs : pauseMs));
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  return {
    start() {
      running ??= countRejected(root)
        .then((count) => (rejected += count))
        .then(run);
    },
    state: () => ({
      lagMs: isCaughtUp ? 0 : performance.now() - caughtUpAt,
      waitingBytes: isCaughtUp ? 0 : journal.bytesSince(ownOffset),
      rejected,
    }),
    count(moment) {
      setTimeout(() => {
        const isLater = asked === undefined || asked.moment < moment;
        asked = { moment: isLater ? moment : asked!.moment, end: journal.end() };
        wake?.();
      }, settleMs).unref();
    },
    async close(deadlineMs) {
      closing.abort();
      wake?.();
      const deadline = setTimeout(() => {
        isOver = true;
        connections.severAll();
      }, deadlineMs);
      await running;
      clearTimeout(deadline);
      return isRemoved;
    },
  };
}
