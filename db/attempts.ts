import { v7 as uuidv7 } from 'uuid';
import type { Sql } from './connection/database.ts';

// By hand: the edge, which loads no ORM, counts attempts at links' passwords here, and a statement counts and claims at once.
/**
 * Counts attempts at passwords that failed within the last 15 minutes, over all processes. An attempt counts as failed from
 * the moment that it is claimed until it is forgiven: parallel attempts cannot exceed the limit. The limits are below. Links'
 * passwords are checked by `edge/password/attempts.ts`, people's by `api/auth/password-check.ts`.
 */

/** Attempts count for so long, in milliseconds. */
export const attemptsCountForMs = 15 * 60_000;

/** A claimed attempt bears a mark, by which it is forgiven: of an attempt to sign in, the id of its row. */
type AttemptClaim = { isAdmitted: true; mark: string } | { isAdmitted: false; retryAfterSeconds: number };

/** An attempt at the password of a link; `client` is a keyed hash of an address. */
export interface LinkPasswordAttempt {
  linkId: string;
  client: string;
}

/** An attempt to sign in: keyed hashes of the e-mail, and of the client's address. */
interface SignInAttempt {
  account: Buffer;
  client: string;
}

// Promised (4.7, 2.2).
const failuresOfLinkClient = 10;
const failuresOfAccountClient = 10;
const failuresOfAccount = 100;
const countedFor = `${attemptsCountForMs} * interval '1 millisecond'`;

function refuse(retryAfterSeconds: number | null | undefined): AttemptClaim {
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

/**
 * Claims an attempt to sign in: an account and client together have 10 that fail, and an account 100 (2.2). Attempts at one
 * account are counted one after the other.
 */
export async function claimSignInAttempt(tx: Sql, { account, client }: SignInAttempt): Promise<AttemptClaim> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('sign-in ' || encode($1, 'hex'), 0))`, [account]);
  const id = uuidv7();
  // By the clock once the lock is held: the transaction began before, and an attempt that held the lock may be later than that.
  const { rows } = await tx.query<{ isAdmitted: boolean; retryAfterSeconds: number | null }>(
    `with moment as materialized (select clock_timestamp() as now),
      counted as (
        select count(*) filter (where client = $2) as of_client, count(*) as of_account,
          min(failed_at) filter (where client = $2) as client_since, min(failed_at) as account_since
        from sign_in_failures where account = $1 and failed_at > (select now from moment) - ${countedFor}),
      claimed as (
        insert into sign_in_failures (id, account, client, failed_at)
        select $3, $1, $2, now from counted, moment
        where of_client < ${failuresOfAccountClient} and of_account < ${failuresOfAccount} returning 1)
     select exists (select from claimed) as "isAdmitted",
       ceil(extract(epoch from greatest(
         case when of_client >= ${failuresOfAccountClient} then client_since end,
         case when of_account >= ${failuresOfAccount} then account_since end) + ${countedFor} - now))::int
         as "retryAfterSeconds"
     from counted, moment`,
    [account, client, id],
  );
  const { isAdmitted, retryAfterSeconds } = rows[0]!;
  return isAdmitted ? { isAdmitted, mark: id } : refuse(retryAfterSeconds);
}
