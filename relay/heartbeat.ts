import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { DiskSpace } from '#core/lib/disk.ts';
import type { Sql } from '#db/connection/database.ts';
import { deleteWorker, storeWorkerBeat } from '#db/health/workers.ts';

/** Settings of `createHeartbeat`. */
export interface HeartbeatOptions {
  sql: Sql;
  version: string;
  /** Whether the process takes tasks from Temporal now. */
  takesTasks(): boolean;
  /** The disk of its data folder. */
  readDisk(): Promise<DiskSpace | undefined>;
  log: Pick<Logger, 'warn'>;
  everyMs?: number;
}

/** A worker's sign of life. */
export interface Heartbeat {
  /** Writes down at once how it is now; resolves when that is written, or could not be. */
  beat(): Promise<void>;
  /** Ends it, and removes the row: a worker that ends in order is not missed. */
  stop(): Promise<void>;
}

/**
 * Writes down, at once and then every five seconds, that this worker lives (1.10). The timer runs on the thread that runs
 * the relay and the activities: a thread that is blocked, or a process that is suspended, is not heard of either.
 */
export function createHeartbeat({
  sql,
  version,
  takesTasks,
  readDisk,
  log,
  everyMs = 5_000,
}: HeartbeatOptions): Heartbeat {
  const id = randomUUID();
  let beating: Promise<void> | undefined;

  async function write(): Promise<void> {
    const disk = await readDisk();
    await storeWorkerBeat(sql, {
      id,
      host: hostname(),
      pid: process.pid,
      version,
      takesTasks: takesTasks(),
      diskFreeBytes: disk?.freeBytes ?? null,
      diskBytes: disk?.totalBytes ?? null,
    });
  }

  /** One at a time: a database that hangs must not gather statements. */
  function begin(): Promise<void> {
    return (beating ??= write()
      .catch((error: Error) => log.warn({ reason: error.message }, 'the worker could not write down that it lives'))
      .finally(() => {
        beating = undefined;
      }));
  }

  void begin();
  const timer = setInterval(() => void begin(), everyMs);
  return {
    async beat() {
      // One that is under way may tell of a moment before.
      await beating;
      await begin();
    },
    async stop() {
      clearInterval(timer);
      await beating;
      await deleteWorker(sql, id).catch(() => undefined);
    },
  };
}
