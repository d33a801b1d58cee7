import { randomUUID } from 'node:crypto';
import type { Sql } from '#db/connection/database.ts';

/** Writes down a worker as it would itself; `agoMs`: when it was heard of, in the future where nothing renews it. */
export async function insertWorker(
  sql: Sql,
  {
    agoMs = -86_400_000,
    takesTasks = true,
    disk = [null, null] as (number | null)[],
    scanner = null as string | null,
    taskAgoMs = null as number | null,
  } = {},
): Promise<string> {
  const id = randomUUID();
  await sql.query(
    `insert into workers (id, host, pid, version, takes_tasks, disk_free_bytes, disk_bytes, scanner, heard_at, last_task_at)
     values ($1, 'tests', 1, '0', $2, $3, $4, $5, now() - $6 * interval '1 millisecond', now() - $7::float8 * interval '1 millisecond')`,
    [id, takesTasks, disk[0], disk[1], scanner, agoMs, taskAgoMs],
  );
  return id;
}
