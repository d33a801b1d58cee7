import { sql as expression } from 'kysely';
import type { Sql } from './connection/database.ts';
import type { EntityManager } from './connection/entity-manager.ts';
import { keyStamp } from './organizations/key-lookup.ts';

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

/** The calls granted, and the state of the windows. `stamp` is that of the subject's key, null where the key is revoked. */
export interface RateGrant {
  granted: number;
  second: RateWindow;
  minute: RateWindow;
  stamp: string | null;
}

// A window begins with the first call after the last one ended, so that a burst from rest gets exactly the limit. The
// database's clock counts for all processes. The statement returns the key's stamp as well: a process learns of a revocation
// with the next call.
const takeStatement = `
  with clock as (select clock_timestamp() as now)
  insert into rate_windows as w (subject, second_at, second_used, minute_at, minute_used, granted)
  select $1, now, least($2::int, $3::int, $4::int), now, least($2, $3, $4), least($2, $3, $4) from clock
  on conflict (subject) do update set (second_at, second_used, minute_at, minute_used, granted) = (
    select case when o.second then w.second_at else c.now end, u.second + g.n,
      case when o.minute then w.minute_at else c.now end, u.minute + g.n, g.n
    from clock c
    cross join lateral (select w.second_at > c.now - interval '1 second' as second,
      w.minute_at > c.now - interval '1 minute' as minute) o
    cross join lateral (select case when o.second then w.second_used else 0 end as second,
      case when o.minute then w.minute_used else 0 end as minute) u
    cross join lateral (select greatest(0, least($2, $3 - u.second, $4 - u.minute)) as n) g)
  returning granted, second_used as "secondUsed", minute_used as "minuteUsed",
    (extract(epoch from second_at + interval '1 second' - (select now from clock)) * 1000)::float8 as "secondResetMs",
    (extract(epoch from minute_at + interval '1 minute' - (select now from clock)) * 1000)::float8 as "minuteResetMs",
    (select ${keyStamp} from api_keys k join organizations o on o.id = k.organization_id
      where k.id = $5 and k.deleted_at is null and o.deleted_at is null) as stamp`;

interface TakeRow {
  granted: number;
  secondUsed: number;
  minuteUsed: number;
  secondResetMs: number;
  minuteResetMs: number;
  stamp: string | null;
}

/**
 * Counts calls of a subject, as many of `count` as both windows have left.
 * @param keyId the API key whose stamp is returned; null for addresses.
 */
// By hand: it counts calls before their routes, many at once for a busy key (bench row C1).
export async function takeCalls(
  sql: Sql,
  { subject, keyId, count, limits }: { subject: string; keyId: string | null; count: number; limits: RateLimits },
): Promise<RateGrant> {
  const { rows } = await sql.query<TakeRow>({
    name: 'take-calls',
    text: takeStatement,
    values: [subject, count, limits.perSecond, limits.perMinute, keyId],
  });
  const row = rows[0]!;
  return {
    granted: row.granted,
    second: { used: row.secondUsed, resetMs: row.secondResetMs },
    minute: { used: row.minuteUsed, resetMs: row.minuteResetMs },
    stamp: row.stamp,
  };
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
