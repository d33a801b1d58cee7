import { sql as expression } from 'kysely';
import type { Sql } from './connection/database.ts';
import type { EntityManager } from './connection/entity-manager.ts';

/** Calls that a subject may make in a second and in a minute, both at once. */
export interface RateLimits {
  perSecond: number;
  perMinute: number;
}

/** One of the two windows: calls used, and the milliseconds until it ends. */
interface RateWindow {
  used: number;
  resetMs: number;
}

/** The calls granted, and the state of the windows. */
export interface RateGrant {
  granted: number;
  second: RateWindow;
  minute: RateWindow;
}

/**
 * The statement that counts $1 calls of a subject within limits of $2 in a second and $3 in a minute. A window begins with the first
 * call after the last one ended, so that a burst from rest gets exactly the limit. The database's clock counts for all processes.
 * @param subject an expression, evaluated for the row of `from`, which may be empty.
 */
export const countCalls = (subject: string, from = ''): string => `
  insert into rate_windows as w (subject, second_at, second_used, minute_at, minute_used, granted)
  select ${subject}, now, least($1::int, $2::int, $3::int), now, least($1, $2, $3), least($1, $2, $3) from clock ${from}
  on conflict (subject) do update set (second_at, second_used, minute_at, minute_used, granted) = (
    select case when o.second then w.second_at else c.now end, u.second + g.n,
      case when o.minute then w.minute_at else c.now end, u.minute + g.n, g.n
    from clock c
    cross join lateral (select w.second_at > c.now - interval '1 second' as second,
      w.minute_at > c.now - interval '1 minute' as minute) o
    cross join lateral (select case when o.second then w.second_used else 0 end as second,
      case when o.minute then w.minute_used else 0 end as minute) u
    cross join lateral (select greatest(0, least($1, $2 - u.second, $3 - u.minute)) as n) g)
  returning granted, second_used as "secondUsed", minute_used as "minuteUsed",
    (extract(epoch from second_at + interval '1 second' - (select now from clock)) * 1000)::float8 as "secondResetMs",
    (extract(epoch from minute_at + interval '1 minute' - (select now from clock)) * 1000)::float8 as "minuteResetMs"`;

/** The moment that `countCalls` takes for now. */
export const clock = 'clock as (select clock_timestamp() as now)';

export interface CountRow {
  granted: number;
  secondUsed: number;
  minuteUsed: number;
  secondResetMs: number;
  minuteResetMs: number;
}

export function toGrant({ granted, secondUsed, secondResetMs, minuteUsed, minuteResetMs }: CountRow): RateGrant {
  return {
    granted,
    second: { used: secondUsed, resetMs: secondResetMs },
    minute: { used: minuteUsed, resetMs: minuteResetMs },
  };
}

/** Counts calls of a subject, as many of `count` as both windows have left. */
// By hand: it counts calls before their routes, many at once for a busy client.
export async function takeCalls(
  sql: Sql,
  { subject, count, limits }: { subject: string; count: number; limits: RateLimits },
): Promise<RateGrant> {
  const { rows } = await sql.query<CountRow>({
    name: 'take-calls',
    text: `with ${clock} ${countCalls('$4')}`,
    values: [count, limits.perSecond, limits.perMinute, subject],
  });
  return toGrant(rows[0]!);
}

/**
 * Whether a caller other than an organization's own keys and members has called the API within the last second. Visits of links do
 * not count.
 */
export async function isCalledByOthers(em: EntityManager, organizationId: string): Promise<boolean> {
  const other = await em.kysely
    .selectFrom('RateWindows')
    .select('subject')
    // A window of a second begins with a call: one that began before has seen no call of the last second.
    .where('secondAt', '>', expression<Date>`now() - interval '2 seconds'`)
    .where('subject', 'not in', ({ selectFrom }) =>
      selectFrom('ApiKey')
        .select(({ ref }) => expression<string>`'key:' || ${ref('id')}`.as('subject'))
        .where('organization', '=', organizationId)
        .unionAll(
          selectFrom('Membership')
            .select(({ ref }) => expression<string>`'user:' || ${ref('user')}`.as('subject'))
            .where('organization', '=', organizationId),
        ),
    )
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
