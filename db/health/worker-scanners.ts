import type { Logger } from 'pino';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { workerSilentMs } from './readiness.ts';

interface WorkerScanners {
  /** The kind that all workers have; undefined: not known, or they differ. */
  kind(): string | undefined;
  close(): void;
}

interface WorkerScannersOptions {
  em: EntityManager;
  log: Pick<Logger, 'warn'>;
  onChange?: (kind: string | undefined) => void;
  everyMs?: number;
}

/**
 * Reads the workers' heartbeats every five seconds. Without a worker, and without a database, the kind stays what it was: the
 * configuration of workers that are down has not changed.
 */
export async function watchWorkerScanners({
  em,
  log,
  onChange,
  everyMs = 5_000,
}: WorkerScannersOptions): Promise<WorkerScanners> {
  let kind: string | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const rows = await em.kysely
      .selectFrom('Worker')
      .select('scanner')
      .distinct()
      .where('heardAt', '>', sql<Date>`now() - ${workerSilentMs} * interval '1 millisecond'`)
      .execute();
    if (rows.length === 0) return;
    const found = rows.length === 1 ? (rows[0]!.scanner ?? undefined) : undefined;
    if (found === kind) return;
    kind = found;
    onChange?.(kind);
  }

  const readOnce = (): Promise<void> =>
    (reading ??= read()
      .catch((error: Error) => log.warn({ reason: error.message }, 'the scanners of the workers cannot be read now'))
      .finally(() => {
        reading = undefined;
      }));

  await readOnce();
  const timer = setInterval(() => void readOnce(), everyMs);
  timer.unref();
  return { kind: () => kind, close: () => clearInterval(timer) };
}
