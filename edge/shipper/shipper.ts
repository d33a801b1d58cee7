import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import {
  beginShipping,
  isCountDue,
  nextAction,
  reduceShipping,
  type ShippingAction,
  type ShippingEvent,
} from '#core/clicks/shipping.ts';
import { isSame } from '#core/clicks/journal-offset.ts';
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
import { withDeadline } from './deadline.ts';
import { createShip, type Shipment } from './ship.ts';

/** How far clicks on disk are behind the database. */
export interface ShipperState {
  /** Age in milliseconds of the oldest click of this process that is not in the database. */
  lagMs: number;
  /** Bytes of this process's journal that are not in the database. */
  waitingBytes: number;
  /** Records in dead letters: the database refused them. */
  rejected: number;
}

/** Moves clicks from journals into the database. */
export interface Shipper {
  start(): void;
  state(): ShipperState;
  /** Ships the clicks so far at once, and notes in the database that they are counted for a cap set at `moment` (ISO 8601). */
  count(moment: string): void;
  /** Ships the rest, for at most `deadlineMs`, and stops. True: this process's journal is shipped whole and removed. */
  close(deadlineMs: number): Promise<boolean>;
}

/** What the shipper needs. */
interface ShipperOptions {
  database: Database;
  /** Gets the clicks in place of the database. */
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

// A visit that was begun has its click written within this time: a hundred times what a visit takes.
const settleMs = 10;
const lockRetryMs = 100;
// Of 50,000 clicks at once each takes half of the processor's time that one of 3,000 takes (measured).
const clickhouseChunkBytes = 16 * 1_024 * 1_024;

/**
 * Ships over one connection: this process's journal first, then the journals of dead processes. `core/clicks/shipping`
 * decides what comes next; this shell does it and reports what happened.
 */
export function createShipper(options: ShipperOptions): Shipper {
  const { database, clickhouse, site, journal, root, log, now, silence } = options;
  let state = beginShipping();
  let running: Promise<void> | undefined;
  let connection: PoolClient | undefined;
  let own: Shipment = { journalId: journal.id, directory: journal.directory, offset: state.offset };
  let wake: (() => void) | undefined;

  function dispatch(event: ShippingEvent): void {
    state = reduceShipping(state, event);
    wake?.();
  }

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
      dispatch({ kind: 'deadLettered', count });
      log.warn({ count }, 'clicks were set aside: the database refuses them');
    },
    now,
  });

  const adopt = createAdoption({
    root,
    ownJournalId: journal.id,
    ship,
    shipOwn: () => shipOwn(connection!),
    async rest(ms) {
      const isOver = (): boolean => isClosing() || state.countRequest !== null;
      if (!isOver()) await rest(performance.now() + ms, isOver);
    },
    isClosing,
    log,
    silence,
  });

  // Called after each write of the journal, so it costs next to nothing while clicks are waiting already.
  journal.onWrite(() => {
    if (state.behindSinceMs === null) dispatch({ kind: 'written', nowMs: performance.now() });
  });

  function isClosing(): boolean {
    return state.phase !== 'running';
  }

  /** Waits until a moment, or until an event after which `isOver`. */
  function rest(untilMs: number, isOver: () => boolean = () => true): Promise<void> {
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
    });
  }

  async function count(client: PoolClient, moment: string): Promise<void> {
    // Before the statement: a request that comes meanwhile is another one.
    dispatch({ kind: 'counted' });
    await withDeadline(client, noteCounted(client, journal.id, moment));
  }

  /** Ships the clicks so far; clicks that come meanwhile wait until other journals have had their turn. */
  async function shipOwn(client: PoolClient): Promise<void> {
    const startedMs = performance.now();
    const end = journal.end();
    for (let isLeft = true; isLeft;) {
      isLeft = (await ship(client, own, end)) && !isSame(own.offset, end);
      dispatch({ kind: 'advanced', offset: own.offset });
      journal.shippedTo(own.offset);
      if (isCountDue(state)) await count(client, state.countRequest!.moment);
    }
    dispatch({ kind: 'shipped', isEnd: isSame(end, journal.end()), startedMs, nowMs: performance.now() });
  }

  async function connect(): Promise<void> {
    const client = await database.pool.connect();
    connection = client;
    // The server may not have noticed yet that this process's last connection, which held the lock, is gone.
    while (!(await lockJournal(client, journal.id))) await new Promise((resolve) => setTimeout(resolve, lockRetryMs));
    own = { ...own, offset: await readOffset(client, journal.id) };
    if (state.isFailing) log.info('clicks are shipped again');
    dispatch({ kind: 'connected' });
    dispatch({ kind: 'advanced', offset: own.offset });
  }

  async function act(action: Exclude<ShippingAction, { kind: 'stop' | 'rest' | 'connect' }>): Promise<void> {
    const client = connection!;
    switch (action.kind) {
      case 'ship':
        return shipOwn(client);
      case 'count':
        return count(client, action.moment);
      case 'adopt':
        // With nothing to ship it would go unnoticed that the connection is gone, and the lock on the journal with it.
        // By hand: the edge loads no ORM.
        await withDeadline(client, client.query('select 1'));
        await adopt(client);
        return dispatch({ kind: 'adopted', nowMs: performance.now() });
      case 'finish':
        await finishJournal(client, journal.id);
        await removeJournal(journal.directory);
        return dispatch({ kind: 'finished' });
    }
  }

  function releaseConnection(): void {
    // Its locks end with it.
    connection?.release(true);
    connection = undefined;
  }

  async function run(): Promise<void> {
    for (;;) {
      const action = nextAction(state, performance.now(), journal.bytesSince(own.offset));
      if (action.kind === 'stop') return releaseConnection();
      if (action.kind === 'rest') {
        await rest(action.untilMs);
        continue;
      }
      try {
        await (action.kind === 'connect' ? connect() : act(action));
      } catch (error) {
        if (!state.isFailing) log.warn({ err: error }, 'clicks cannot be shipped now; they are kept on disk');
        const hadConnection = connection !== undefined;
        releaseConnection();
        dispatch({ kind: 'failed', hadConnection, nowMs: performance.now() });
      }
    }
  }

  return {
    start() {
      running ??= countRejected(root).then((found) => {
        dispatch({ kind: 'deadLettered', count: found });
        return run();
      });
    },
    state: () => ({
      lagMs: state.behindSinceMs === null ? 0 : performance.now() - state.behindSinceMs,
      waitingBytes: state.behindSinceMs === null ? 0 : journal.bytesSince(state.offset),
      rejected: state.deadLetters,
    }),
    count(moment) {
      setTimeout(() => dispatch({ kind: 'countRequested', moment, end: journal.end() }), settleMs).unref();
    },
    async close(deadlineMs) {
      dispatch({ kind: 'closed' });
      const deadline = setTimeout(() => {
        dispatch({ kind: 'overdue' });
        if (connection !== undefined) sever(connection);
      }, deadlineMs);
      await running;
      clearTimeout(deadline);
      return state.isFinished;
    },
  };
}
