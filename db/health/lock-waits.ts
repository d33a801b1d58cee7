import type { Sql } from '#db/connection/database.ts';

// By hand: pg_stat_activity has no entity.
/**
 * Describes, without any statement's text, the locks that connections of this kind of process wait for, and which processes hold them,
 * for operators; undefined: none is waited for.
 */
export async function describeLockWaits(sql: Sql): Promise<string | undefined> {
  const { rows } = await sql.query<{ waits: string | null }>({
    name: 'lock_waits',
    text: `
      select string_agg(distinct format('%s s for a lock of %s (process %s, %s for %s s)',
        floor(extract(epoch from clock_timestamp() - waiting.query_start)), coalesce(nullif(holding.application_name, ''), 'an unnamed client'),
        blocker.pid, coalesce(holding.state, 'state unknown'),
        coalesce(floor(extract(epoch from clock_timestamp() - holding.xact_start)), 0)), '; ') as waits
      from pg_stat_activity waiting
      cross join lateral unnest(pg_blocking_pids(waiting.pid)) as blocker (pid)
      left join pg_stat_activity holding on holding.pid = blocker.pid
      where waiting.wait_event_type = 'Lock' and waiting.datname = current_database()
        and waiting.application_name = current_setting('application_name')`,
  });
  return rows[0]?.waits ?? undefined;
}
