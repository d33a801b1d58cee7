import type { Sql } from '#db/connection/database.ts';

/** What a worker process writes down of itself every few seconds. */
interface WorkerBeat {
  id: string;
  host: string;
  pid: number;
  version: string;
  /** Whether it takes tasks from Temporal: it has begun, and Temporal can be reached. */
  takesTasks: boolean;
  /** Of the disk of its data folder; null where that cannot be told. */
  diskFreeBytes: number | null;
  diskBytes: number | null;
}

/** A worker process as it was last heard of. */
interface WorkerRow extends WorkerBeat {
  startedAt: Date;
  heardAt: Date;
  /** How long ago that was by the database's clock, in milliseconds. */
  silentMs: number;
}

/** A worker that was not heard of for as long is dead or hung (1.10). */
export const workerSilentMs = 30_000;

// Long enough to be seen on a screen of figures, and short enough that those of past crashes do not gather there.
const forgottenAfter = "interval '1 hour'";

/** Writes down that a worker lives; the moment is the database's. Rows of those that were not heard of for an hour go. */
export async function storeWorkerBeat(sql: Sql, worker: WorkerBeat): Promise<void> {
  await sql.query({
    name: 'workers-beat',
    text: `
      with gone as (delete from workers where heard_at < now() - ${forgottenAfter} and id <> $1)
      insert into workers (id, host, pid, version, takes_tasks, disk_free_bytes, disk_bytes)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (id) do update set heard_at = now(), takes_tasks = excluded.takes_tasks,
        disk_free_bytes = excluded.disk_free_bytes, disk_bytes = excluded.disk_bytes`,
    values: [
      worker.id,
      worker.host,
      worker.pid,
      worker.version,
      worker.takesTasks,
      worker.diskFreeBytes,
      worker.diskBytes,
    ],
  });
}

/** Removes a worker that ends in order: its silence is no alarm. */
export async function deleteWorker(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from workers where id = $1', [id]);
}

/** Reads all workers of the last hour, those that were heard of last first. */
export async function listWorkers(sql: Sql): Promise<WorkerRow[]> {
  const { rows } = await sql.query<WorkerRow>(
    `select id, host, pid, version, takes_tasks as "takesTasks", disk_free_bytes as "diskFreeBytes",
       disk_bytes as "diskBytes", started_at as "startedAt", heard_at as "heardAt",
       greatest(extract(epoch from now() - heard_at) * 1000, 0)::float8 as "silentMs"
     from workers order by heard_at desc, id`,
  );
  return rows;
}
