import type { Sql } from '#db/connection/database.ts';

/** Who tries the password of a link: `client` is a keyed hash of an address. */
export interface PasswordTry {
  linkId: string;
  client: string;
}

/** Whether the password may be tried; if so it counts as failed until `forgiveTry` is given the mark. */
export type TryClaim = { isAdmitted: true; mark: string } | { isAdmitted: false; retryAfterSeconds: number };

const tries = 10;
const countedFor = `interval '15 minutes'`;

/**
 * Claims a try of a link's password: in 15 minutes a client has 10 that fail (4.7), counted over all processes. A refused
 * one does not count.
 */
export async function claimTry(sql: Sql, { linkId, client }: PasswordTry): Promise<TryClaim> {
  const claimed = await sql.query<{ mark: string }>({
    name: 'claim-password-try',
    text: `insert into link_password_failures as f (link_id, client, failed_at, last_failed_at)
      select $1, $2, array[now], now from (select clock_timestamp() as now) clock
      on conflict (link_id, client) do update set last_failed_at = excluded.last_failed_at, failed_at =
        array(select at from unnest(f.failed_at) at where at > excluded.last_failed_at - ${countedFor} order by at)
          || excluded.last_failed_at
      where (select count(*) from unnest(f.failed_at) at where at > excluded.last_failed_at - ${countedFor}) < ${tries}
      returning last_failed_at::text as mark`,
    values: [linkId, client],
  });
  const mark = claimed.rows[0]?.mark;
  if (mark !== undefined) return { isAdmitted: true, mark };
  const { rows } = await sql.query<{ retryAfterSeconds: number | null }>({
    name: 'password-try-wait',
    text: `select ceil(extract(epoch from min(at) + ${countedFor} - clock_timestamp()))::int as "retryAfterSeconds"
      from link_password_failures f, unnest(f.failed_at) at
      where f.link_id = $1 and f.client = $2 and at > clock_timestamp() - ${countedFor}`,
    values: [linkId, client],
  });
  return { isAdmitted: false, retryAfterSeconds: Math.max(1, rows[0]?.retryAfterSeconds ?? 1) };
}

/** Takes back a try that did not fail. */
export async function forgiveTry(sql: Sql, { linkId, client }: PasswordTry, mark: string): Promise<void> {
  await sql.query({
    name: 'forgive-password-try',
    text: `update link_password_failures set failed_at = array_remove(failed_at, $3::timestamptz)
      where link_id = $1 and client = $2`,
    values: [linkId, client, mark],
  });
}

/** Removes failures that count no longer. */
export async function forgetOldTries(sql: Sql): Promise<void> {
  await sql.query({
    name: 'forget-password-tries',
    text: `delete from link_password_failures where last_failed_at <= now() - ${countedFor}`,
  });
}
