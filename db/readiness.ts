import { skewOf } from '../core/clock.ts';
import type { Sql } from './database.ts';
import { heldKeys, lockKeyOf } from './journal-lock.ts';

/** What the rows say of work that does not get done. */
export interface Backlog {
  /** Rows of the outbox that were set aside after too many failures. */
  parked: number;
  /** Click records that the database refused in the last week. */
  rejected: number;
  /** Journals of the last day that were not shipped whole, and that no process ships. */
  abandoned: number;
}

/**
 * How far this machine's clock is from the database's, in milliseconds, the time of the call allowed for; positive: ours
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

/** Reads what is left undone. */
export async function readBacklog(sql: Sql): Promise<Backlog> {
  const { rows } = await sql.query<Backlog>({
    name: 'readiness_backlog',
    text: `
      with held as materialized (${heldKeys})
      select
        (select count(*) from outbox where parked_at is not null) as parked,
        (select coalesce(sum(rejected), 0)::bigint from journals
          where rejected > 0 and ingested_at > now() - interval '7 days') as rejected,
        (select count(*) from journals
          where finished_at is null and ingested_at > now() - interval '1 day'
            and ${lockKeyOf('id')} not in (select key from held)
        ) as abandoned`,
  });
  return rows[0]!;
}
