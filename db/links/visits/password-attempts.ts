import type { Sql } from '#db/connection/database.ts';

// By hand, every statement of this file: the edge, which runs them for each guess, loads no ORM (bench row V1).
/**
 * Counts attempts at links' passwords that failed within the last 15 minutes, over all processes. An attempt counts as failed from
 * the moment that it is claimed until it is forgiven: parallel attempts cannot exceed the limit. Attempts to sign in are counted
 * likewise (`db/accounts/sign-in-attempts.ts`).
 */

/** Attempts count for so long, in milliseconds. */
export const attemptsCountForMs = 15 * 60_000;

/** A claimed attempt bears a mark, by which it is forgiven: of an attempt to sign in, the id of its row. */
export type AttemptClaim = { isAdmitted: true; mark: string } | { isAdmitted: false; retryAfterSeconds: number };

/** An attempt at the password of a link; `client` is a keyed hash of an address. */
export interface LinkPasswordAttempt {
  linkId: string;
  client: string;
}

// Promised (4.7).
const failuresOfLinkClient = 10;
const countedFor = `${attemptsCountForMs} * interval '1 millisecond'`;

/** The claim of an attempt that comes too early. */
export function refuse(retryAfterSeconds: number | null | undefined): AttemptClaim {
  return { isAdmitted: false, retryAfterSeconds: Math.max(1, retryAfterSeconds ?? 1) };
}

/** Claims an attempt at a link's password: a client has 10 that fail (4.7). A refused attempt does not count. */
export async function claimLinkPasswordAttempt(
  sql: Sql,
  { linkId, client }: LinkPasswordAttempt,
): Promise<AttemptClaim> {
  const claimed = await sql.query<{ mark: string }>({
    name: 'claim-password-try',
    text: `insert into link_password_failures as f (link_id, client, failed_at, last_failed_at)
      select $1, $2, array[now], now from (select clock_timestamp() as now) clock
      on conflict (link_id, client) do update set last_failed_at = excluded.last_failed_at, failed_at =
        array(select at from unnest(f.failed_at) at where at > excluded.last_failed_at - ${countedFor} order by at)
          || excluded.last_failed_at
      where (select count(*) from unnest(f.failed_at) at where at > excluded.last_failed_at - ${countedFor})
        < ${failuresOfLinkClient}
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
  return refuse(rows[0]?.retryAfterSeconds);
}

/** Takes back an attempt at a link's password that did not fail. */
export async function forgiveLinkPasswordAttempt(
  sql: Sql,
  { linkId, client }: LinkPasswordAttempt,
  mark: string,
): Promise<void> {
  await sql.query({
    name: 'forgive-password-try',
    text: `update link_password_failures set failed_at = array_remove(failed_at, $3::timestamptz)
      where link_id = $1 and client = $2`,
    values: [linkId, client, mark],
  });
}
