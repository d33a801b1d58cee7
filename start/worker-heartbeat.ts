import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { DiskSpace } from '#core/lib/disk.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Worker } from '#db/entities/installation.ts';
import { storeWorkerBeat } from '#db/health/workers.ts';

interface HeartbeatOptions {
  em: EntityManager;
  version: string;
  /** Whether the process takes tasks from Temporal now. */
  takesTasks(): boolean;
  /** When the process last began a task of Temporal's, at first its start: Unix time in milliseconds. */
  lastTaskAtMs(): number;
  /** The disk of its data folder. */
  readDisk(): Promise<DiskSpace | undefined>;
  /** What its threat scanner goes by. */
  scannerKind(): string;
  log: Pick<Logger, 'warn'>;
}

const everyMs = 5_000;

/**
 * Writes the worker's row in `workers`, by which other processes see that it lives, at once and then every five seconds. The timer runs on
 * the thread of the relay and the activities, so that a blocked thread or a suspended process falls silent too.
 */
export function createHeartbeat({
  em,
  version,
  takesTasks,
  lastTaskAtMs,
  readDisk,
  scannerKind,
  log,
}: HeartbeatOptions) {
  const id = randomUUID();
  let beating: Promise<void> | undefined;
  let hasReplacedOne = false;

  async function write(): Promise<void> {
    const disk = await readDisk();
    const hasReplaced = await storeWorkerBeat(em.fork(), {
      id,
      host: hostname(),
      pid: process.pid,
      version,
      takesTasks: takesTasks(),
      lastTaskAgoMs: Date.now() - lastTaskAtMs(),
      diskFreeBytes: disk?.freeBytes ?? null,
      diskBytes: disk?.totalBytes ?? null,
      scanner: scannerKind(),
      mayReplace: !hasReplacedOne,
    });
    hasReplacedOne ||= hasReplaced;
  }

  /** One statement at a time: they must not pile up while the database hangs. */
  function begin(): Promise<void> {
    return (beating ??= write()
      .catch((error: Error) => log.warn({ reason: error.message }, 'the worker could not write its heartbeat'))
      .finally(() => (beating = undefined)));
  }

  void begin();
  const timer = setInterval(() => void begin(), everyMs);
  return {
    /** Writes the row at once; resolves when that is done or has failed. */
    async beat(): Promise<void> {
      // A write under way may hold an older state.
      await beating;
      await begin();
    },
    /** Stops writing and removes the row: a worker that ends in order raises no alarm. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await beating;
      await em
        .fork()
        .nativeDelete(Worker, { id })
        .catch(() => undefined);
    },
  };
}
