import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { isBefore, isSame, type JournalOffset } from '#core/clicks/journal-offset.ts';
import type { Site } from '#core/links/site.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { type Database, sever } from '#db/connection/database.ts';
import { createClickHouseIngest, readPlan } from '#db/clicks/clickhouse/ingest.ts';
import { finishJournal, ingest, noteCounted, readOffset } from '#db/clicks/ingest.ts';
import { lockJournal } from '#db/clicks/journal-lock.ts';
import { createPartitions } from '#db/clicks/partitions.ts';
import type { Journal } from '#edge/journal/journal.ts';
import { countRejected, removeJournal } from '#edge/journal/segments.ts';
import { createAdoption, type Silence } from './adoption.ts';
import { createShip, gatherMs, type Shipment, withDeadline } from './ship.ts';

/** How far clicks on disk are behind the database. */
export interface ShipperState {
  /** Age in milliseconds of the oldest click of this process that is not in the database. */
  lagMs: number;
  /** Bytes of this process's journal that are not in the database. */
  waitingBytes: number;
  /** Records in dead letters: the database refused them. */
  rejected: number;
}

export type Shipper = ReturnType<typeof createShipper>;

interface ShipperOptions {
  database: Database;
  clickhouse?: ClickHouse | undefined;
  /** Tells the short URLs of links, for events. */
  site: Pick<Site, 'originUrl'>;
  /** This process's own journal. */
  journal: Pick<Journal, 'id' | 'directory' | 'end' | 'bytesSince' | 'onWrite' | 'shippedTo'>;
  /** Folder of all journals; those of dead processes are adopted. */
  root: string;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Unix time in milliseconds. */
  now(): number;
  silence?: Silence;
}

/** A limit of clicks was set at `moment` (ISO 8601): clicks up to `end` were made before it, and are counted first (3.9). */
interface CountRequest {
  readonly moment: string;
  readonly end: JournalOffset;
}

// A visit that was begun has its click written within this time: a hundred times what a visit takes.
const settleMs = 10;
const lockRetryMs = 100;
const adoptEveryMs = 2_000;
const firstPauseMs = 100;
const longestPauseMs = 1_000;
// With more than this waiting, clicks need not gather: some 1,500.
const fewBytes = 512 * 1_024;
// Of 50,000 clicks at once each takes half of the processor's time that one of 3,000 takes (measured).
const clickhouseChunkBytes = 16 * 1_024 * 1_024;

/** Moves clicks from journals into the database, over one connection: this process's journal first, then the journals of dead processes. */
export function createShipper(options: ShipperOptions) {
  const { database, clickhouse, site, journal, root, log, now, silence } = options;
  let running: Promise<void> | undefined;
  let connection: PoolClient | undefined;
  let own: Shipment = { journalId: journal.id, directory: journal.directory, offset: { segment: 1, position: 0 } };
  // Moments are those of `performance.now()`.
  /** Everything written before this moment is in the database; null: everything. */
  let behindSinceMs: number | null = null;
  /** On a new connection what the database has of the journal is not certain until the journal has been read to its end. */
  let isCertain = false;
  let gatherUntilMs = 0;
  let adoptAtMs = 0;
  let countRequest: CountRequest | undefined;
  let isFailing = false;
  let isClosing = false;
  /** The time for closing is up. */
  let isOverdue = false;
  let isFinished = false;
  let deadLetters = 0;
  let wake: (() => void) | undefined;

  const ship = createShip({
    site,
    ...(clickhouse === undefined
      ? {
          ingest,
          partitions: createPartitions(database, (error) =>
            log.warn({ err: error }, 'a partition of clicks could not be made'),
          ),
        }
      : {
          ingest: createClickHouseIngest(clickhouse),
          readPlan,
          partitions: undefined,
          chunkBytes: clickhouseChunkBytes,
        }),
    onDeadLetters(count) {
      deadLetters += count;
      log.warn({ count }, 'clicks were set aside: the database refuses them');
    },
    now,
  });

  const adopt = createAdoption({
    root,
    ownJournalId: journal.id,
    ship,
    shipOwn: () => shipOwn(connection!),
    rest: (ms) => rest(performance.now() + ms, () => isClosing || countRequest !== undefined),
    isClosing: () => isClosing,
    log,
    silence,
  });

  // Called after each write of the journal, so it costs next to nothing while clicks are waiting already.
  journal.onWrite(() => {
    if (behindSinceMs !== null) return;
    behindSinceMs = performance.now();
    gatherUntilMs = behindSinceMs + gatherMs;
    wake?.();
  });

  const isCaughtUp = (): boolean => behindSinceMs === null && isCertain;

  /** Waits until a moment, or until `isOver` after an event. */
  function rest(untilMs: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, Math.max(0, untilMs - performance.now()));
      function end(): void {
        clearTimeout(timer);
        wake = undefined;
        resolve();
      }
      wake = () => {
        if (isOver()) end();
      };
      wake();
    });
  }

  /** Notes in the database that the clicks before the moment of a request are counted, once they are. */
  async function countIfDue(client: PoolClient): Promise<void> {
    if (countRequest === undefined) return;
    const { moment, end } = countRequest;
    // Where nothing is left to ship, a segment that was only begun may lie ahead.
    if (isBefore(own.offset, end) && !isCaughtUp()) return;
    // Before the statement: a request that comes meanwhile is another one.
    countRequest = undefined;
    await withDeadline(client, noteCounted(client, journal.id, moment));
  }

  /** Ships the clicks so far; clicks that come meanwhile wait until other journals have had their turn. */
  async function shipOwn(client: PoolClient): Promise<void> {
    const startedMs = performance.now();
    const end = journal.end();
    for (let isLeft = true; isLeft;) {
      isLeft = (await ship(client, own, end)) && !isSame(own.offset, end);
      journal.shippedTo(own.offset);
      await countIfDue(client);
    }
    isCertain = true;
    behindSinceMs = isSame(end, journal.end()) ? null : startedMs;
    gatherUntilMs = performance.now() + gatherMs;
  }

  async function adoptOthers(client: PoolClient): Promise<void> {
    // With nothing to ship it would go unnoticed that the connection is gone, and the lock on the journal with it.
    // By hand: the edge loads no ORM.
    await withDeadline(client, client.query('select 1'));
    await adopt(client);
    adoptAtMs = performance.now() + adoptEveryMs;
  }

  async function connect(): Promise<PoolClient> {
    const client = await database.pool.connect();
    connection = client;
    // The server may not have noticed yet that this process's last connection, which held the lock, is gone.
    while (!(await lockJournal(client, journal.id))) await sleep(lockRetryMs);
    own = { ...own, offset: await readOffset(client, journal.id) };
    isCertain = false;
    if (isFailing) log.info('clicks are shipped again');
    isFailing = false;
    return client;
  }

  /** Ships by one connection, until the process closes and its journal is in the database whole. */
  async function shipOver(client: PoolClient): Promise<void> {
    const isWanted = (): boolean => isClosing || countRequest !== undefined;
    for (;;) {
      await countIfDue(client);
      if (isClosing && isCaughtUp()) break;
      if (isCaughtUp()) await rest(adoptAtMs, () => isWanted() || !isCaughtUp());
      else {
        if (isCertain && journal.bytesSince(own.offset) < fewBytes) await rest(gatherUntilMs, isWanted);
        await shipOwn(client);
      }
      if (!isClosing && performance.now() >= adoptAtMs) await adoptOthers(client);
    }
    await finishJournal(client, journal.id);
    await removeJournal(journal.directory);
    isFinished = true;
  }

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    const isOver = (): boolean => isFinished || isOverdue;
    while (!isOver()) {
      try {
        const client = await connect();
        pauseMs = firstPauseMs;
        await shipOver(client);
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, 'clicks cannot be shipped now; they are kept on disk');
        isFailing = true;
        // While closing, a connection that broke is worth another one; an unreachable database is not worth the wait.
        if (isClosing && connection === undefined) return;
        releaseConnection();
        await (isClosing ? sleep(firstPauseMs) : rest(performance.now() + pauseMs, () => isClosing));
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
    releaseConnection();
  }

  function releaseConnection(): void {
    // Its locks end with it.
    connection?.release(true);
    connection = undefined;
  }

  return {
    start(): void {
      running ??= countRejected(root).then((found) => {
        deadLetters += found;
        return run();
      });
    },
    state: (): ShipperState => ({
      lagMs: behindSinceMs === null ? 0 : performance.now() - behindSinceMs,
      waitingBytes: behindSinceMs === null ? 0 : journal.bytesSince(own.offset),
      rejected: deadLetters,
    }),
    /** Ships the clicks so far at once, and notes in the database that they are counted for a cap set at `moment` (ISO 8601). */
    count(moment: string): void {
      setTimeout(() => {
        const latest = countRequest === undefined || countRequest.moment < moment ? moment : countRequest.moment;
        countRequest = { moment: latest, end: journal.end() };
        wake?.();
      }, settleMs).unref();
    },
    /** Ships the rest, for at most `deadlineMs`, and stops. True: this process's journal is shipped whole and removed. */
    async close(deadlineMs: number): Promise<boolean> {
      isClosing = true;
      wake?.();
      const deadline = setTimeout(() => {
        isOverdue = true;
        if (connection !== undefined) sever(connection);
      }, deadlineMs);
      await running;
      clearTimeout(deadline);
      return isFinished;
    },
  };
}
