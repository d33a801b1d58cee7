import { skewOf } from '#core/lib/clock.ts';
import { describeDisk, type DiskSpace } from '#core/lib/disk.ts';
import type { Sql } from '#db/connection/database.ts';
import { heldKeys, lockKeyOf } from '#db/clicks/journal-lock.ts';
import { mustNotWait } from '#db/outbox.ts';

interface Backlog {
  /** Outbox rows that were parked after too many failures. */
  parked: number;
  /** The oldest row of the outbox that must not wait; null: there is none. */
  oldest: { kind: string; ageMs: number } | null;
  /** Click records that the database refused in the last week. */
  rejected: number;
  /** Journals of the last day that were not shipped to their end, and that no process ships. */
  abandoned: number;
  shipped: number;
  /** Workers with a heartbeat in the last 30 s, how many of them take tasks, and workers of the last hour without a heartbeat. */
  workers: { heard: number; takingTasks: number; silent: number };
  /** Milliseconds since any of them last began a task; null: none tells, or there is none. */
  lastTaskMs: number | null;
  /** Milliseconds since the last heartbeat of any worker; null: no worker is known. */
  workersSilentMs: number | null;
  /** The workers' disk with the least room; null where none is known. */
  workerDisk: DiskSpace | null;
}

interface BacklogView {
  /** Whether Temporal is known to be unreachable: then no worker can take tasks. */
  isTemporalUnreachable: boolean;
  diskWarnBytes: number;
}

/** A worker without a heartbeat for so long is dead or hung. */
export const workerSilentMs = 30_000;
const outboxLateMs = 60_000;
// Housekeeping alone is a task every ten minutes.
const taskLateMs = 30 * 60_000;
const minuteMs = 60_000;

// By hand, every statement of this file: the edge runs them, and loads no ORM (test/edge/imports.test.ts).
/**
 * Difference of this machine's clock to the database's, in milliseconds, corrected by the duration of the call; positive: ours
 * is behind. `now`: Unix time in milliseconds.
 */
export async function readSkew(sql: Sql, now: () => number): Promise<number> {
  const askedAtMs = now();
  const { rows } = await sql.query<{ nowMs: number }>({
    name: 'readiness_clock',
    text: `select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  });
  return skewOf({ askedAtMs, theirsMs: rows[0]!.nowMs, answeredAtMs: now() });
}

export async function readBacklog(sql: Sql): Promise<Backlog> {
  const { rows } = await sql.query<Backlog>({
    name: 'readiness_backlog',
    text: `
      with held as materialized (${heldKeys}), heard as materialized (
        select * from workers where heard_at > now() - ${workerSilentMs} * interval '1 millisecond'
      )
      select
        (select count(*) from outbox where parked_at is not null) as parked,
        (select json_build_object('kind', kind, 'ageMs', extract(epoch from now() - created_at) * 1000)
          from outbox where ${mustNotWait} order by created_at limit 1) as oldest,
        (select coalesce(sum(rejected), 0)::bigint from journals
          where rejected > 0 and ingested_at > now() - interval '7 days') as rejected,
        (select count(*) from journals
          where finished_at is null and ingested_at > now() - interval '1 day'
            and ${lockKeyOf('id')} not in (select key from held)
        ) as abandoned,
        (select count(*) from journals where finished_at is null and ${lockKeyOf('id')} in (select key from held)) as shipped,
        (select json_build_object('heard', count(*), 'takingTasks', count(*) filter (where takes_tasks),
          'silent', (select count(*) from workers) - count(*)) from heard) as workers,
        (select extract(epoch from now() - max(last_task_at)) * 1000 from heard)::float8 as "lastTaskMs",
        (select extract(epoch from now() - max(heard_at)) * 1000 from workers)::float8 as "workersSilentMs",
        (select json_build_object('freeBytes', disk_free_bytes, 'totalBytes', disk_bytes) from heard
          where disk_bytes is not null order by disk_free_bytes limit 1) as "workerDisk"`,
  });
  return rows[0]!;
}

/** Describes overdue work for /readyz, without ids and addresses. */
export function describeBacklog(backlog: Backlog, { isTemporalUnreachable, diskWarnBytes }: BacklogView): string[] {
  const { parked, oldest, workers, lastTaskMs, workersSilentMs, workerDisk } = backlog;
  const names: string[] = [];
  if (workers.heard === 0) {
    const since = workersSilentMs === null ? '' : ` for ${Math.floor(workersSilentMs / 1_000)} s`;
    names.push(`worker: no heartbeat${since}`);
  } else if (workers.takingTasks === 0 && !isTemporalUnreachable) names.push('worker: none takes tasks');
  else if (lastTaskMs !== null && lastTaskMs > taskLateMs && !isTemporalUnreachable)
    names.push(`worker: no task for ${Math.floor(lastTaskMs / minuteMs)} min`);
  if (oldest !== null && oldest.ageMs > outboxLateMs)
    names.push(`outbox: the oldest row has waited for ${Math.floor(oldest.ageMs / 1_000)} s (${oldest.kind})`);
  if (parked > 0) names.push(`outbox: ${parked} parked`);
  const disk = describeDisk(workerDisk ?? undefined, "a worker's", diskWarnBytes);
  return disk === undefined ? names : [...names, disk];
}
