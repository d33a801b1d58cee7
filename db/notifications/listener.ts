import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Channel } from './notify.ts';
import { sever } from '#db/connection/database.ts';

interface ListenerOptions {
  url: string;
  channels: readonly Channel[];
  onNotification(channel: Channel, payload: string): void;
  /** Called after each (re)connect: notifications may have been missed before. */
  onGap(): void;
  log: Pick<Logger, 'info' | 'warn'>;
  applicationName?: string;
}

export interface Listener {
  /** Begins to listen; returns after the first attempt to connect, whether it succeeded or not, and keeps trying. */
  start(): Promise<void>;
  /** True while notifications may be missed: not connected, or the connection has not echoed for 600 ms. */
  isStale(): boolean;
  close(): Promise<void>;
}

const echoEveryMs = 300;
const staleAfterMs = 600;
const connectTimeoutMs = 3_000;
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Receives notifications. An echo to itself every 300 ms detects a connection that is dead without an error within 600 ms; it
 * is replaced. Without a database the listener keeps trying, with growing gaps.
 */
export function createListener(options: ListenerOptions): Listener {
  const echoChannel = `waymark_echo_${randomUUID().replaceAll('-', '')}`;
  const closing = new AbortController();
  const firstAttempt = Promise.withResolvers<void>();
  let client: pg.Client | undefined;
  let echoedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  const isStale = (): boolean => performance.now() - echoedAt > staleAfterMs;

  async function connect(): Promise<Connection> {
    const ended = new AbortController();
    const fresh = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName ?? 'waymark listener',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    client = fresh;
    fresh.once('end', () => ended.abort());
    // `end` may come much later; without a listener the error would end the process.
    fresh.on('error', () => ended.abort());
    fresh.on('notification', ({ channel, payload = '' }) => {
      if (channel === echoChannel) echoedAt = performance.now();
      else options.onNotification(channel as Channel, payload);
    });
    try {
      await fresh.connect();
      await fresh.query([echoChannel, ...options.channels].map((channel) => `listen ${channel}`).join('; '));
    } catch (error) {
      abandon(fresh);
      throw error;
    }
    echoedAt = performance.now();
    return { client: fresh, ended: ended.signal };
  }

  /** Sends echoes until the connection ends, is stale, or the listener is closed. */
  async function echo(connection: Connection): Promise<void> {
    const over = AbortSignal.any([connection.ended, closing.signal]);
    const query = { name: 'echo', text: 'select pg_notify($1, $2)', values: [echoChannel, ''] };
    while (!over.aborted && !isStale()) {
      const answered = connection.client.query(query).catch(() => undefined);
      // The answer of a distant database takes longer than the gap: a client asks one question at a time.
      await Promise.all([pause(echoEveryMs, over), Promise.race([answered, pause(staleAfterMs, over)])]);
      // After a busy stretch the process first reads the echoes that have arrived meanwhile.
      await setImmediate();
    }
  }

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    let isReported = false;
    while (!closing.signal.aborted) {
      try {
        const connection = await connect();
        if (isReported) options.log.info('listening to the database again');
        isReported = false;
        pauseMs = firstPauseMs;
        options.onGap();
        firstAttempt.resolve();
        await echo(connection);
        echoedAt = Number.NEGATIVE_INFINITY;
        abandon(connection.client);
      } catch (error) {
        if (!isReported && !closing.signal.aborted)
          options.log.warn({ err: error }, 'cannot listen to the database, trying on');
        isReported = true;
        firstAttempt.resolve();
      }
      await pause(pauseMs, closing.signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  return {
    isStale,
    start() {
      running ??= run();
      return firstAttempt.promise;
    },
    async close() {
      closing.abort();
      if (client !== undefined) abandon(client);
      await running;
    },
  };
}

interface Connection {
  client: pg.Client;
  /** Aborted when the connection has ended. */
  ended: AbortSignal;
}

/** Ends a connection without waiting for an answer of the server, which may be gone. */
function abandon(client: pg.Client): void {
  client.end().catch(() => undefined);
  // Without an error the socket would close in silence, and `connect` under way would never be settled.
  sever(client, new Error('the connection was given up'));
}

/** Waits, at most until `signal` is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
