import type { Sql } from '#db/connection/database.ts';

/** A heartbeat of a worker process. */
interface WorkerBeat {
  id: string;
  host: string;
  pid: number;
  version: string;
  /** Whether it takes tasks from Temporal: it has started, and Temporal can be reached. */
  takesTasks: boolean;
  /** Free bytes on the disk of its data folder; null where unknown. */
  diskFreeBytes: number | null;
  diskBytes: number | null;
}

/** A worker process with its last heartbeat. */
interface WorkerRow extends WorkerBeat {
  startedAt: Date;
  heardAt: Date;
  /** Milliseconds since that heartbeat, by the database's clock. */
  silentMs: number;
}

/** A worker without a heartbeat for so long is dead or hung (1.10). */
export const workerSilentMs = 30_000;

// A choice: long enough to be noticed on a dashboard, short enough that past crashes do not gather there.
const forgottenAfter = "interval '1 hour'";

/** Stores a heartbeat, at the database's time. Removes workers without one for an hour. */
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

/** Removes a worker that ends in order, so that its silence raises no alarm. */
export async function deleteWorker(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from workers where id = $1', [id]);
}

/** Lists the workers of the last hour, the latest heartbeat first. */
export async function listWorkers(sql: Sql): Promise<WorkerRow[]> {
  const { rows } = await sql.query<WorkerRow>(
    `select id, host, pid, version, takes_tasks as "takesTasks", disk_free_bytes as "diskFreeBytes",
       disk_bytes as "diskBytes", started_at as "startedAt", heard_at as "heardAt",
       greatest(extract(epoch from now() - heard_at) * 1000, 0)::float8 as "silentMs"
     from workers order by heard_at desc, id`,
  );
  return rows;
}
