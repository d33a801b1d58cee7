import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '#db/connection/database.ts';

/** Who tries to sign in, as keyed hashes: of the e-mail, and of the client's address. */
export interface SignInSubject {
  account: Buffer;
  client: string;
}

/** Whether an attempt may be made; if so it counts as failed until `forgiveAttempt`. */
export type AttemptClaim = { isAdmitted: true; id: string } | { isAdmitted: false; retryAfterSeconds: number };

const failuresOfClient = 10;
const failuresOfAccount = 100;
const countedFor = `interval '15 minutes'`;

/**
 * Claims an attempt to sign in: in 15 minutes an account and client together have 10 that fail, and an account 100 (2.2).
 * Attempts of one account are counted one after the other, over all processes.
 */
export async function claimAttempt(tx: Sql, { account, client }: SignInSubject): Promise<AttemptClaim> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('sign-in ' || encode($1, 'hex'), 0))`, [account]);
  const id = uuidv7();
  // The time is asked for after the lock is had, not taken from the beginning of the transaction.
  const { rows } = await tx.query<{ isAdmitted: boolean; retryAfterSeconds: number | null }>(
    `with moment as materialized (select clock_timestamp() as now),
      counted as (
        select count(*) filter (where client = $2) as of_client, count(*) as of_account,
          min(failed_at) filter (where client = $2) as client_since, min(failed_at) as account_since
        from sign_in_failures where account = $1 and failed_at > (select now from moment) - ${countedFor}),
      claimed as (
        insert into sign_in_failures (id, account, client, failed_at)
        select $3, $1, $2, now from counted, moment
        where of_client < ${failuresOfClient} and of_account < ${failuresOfAccount} returning 1)
     select exists (select from claimed) as "isAdmitted",
       ceil(extract(epoch from greatest(
         case when of_client >= ${failuresOfClient} then client_since end,
         case when of_account >= ${failuresOfAccount} then account_since end) + ${countedFor} - now))::int
         as "retryAfterSeconds"
     from counted, moment`,
    [account, client, id],
  );
  const { isAdmitted, retryAfterSeconds } = rows[0]!;
  return isAdmitted ? { isAdmitted, id } : { isAdmitted, retryAfterSeconds: Math.max(1, retryAfterSeconds ?? 1) };
}

/** Takes back an attempt that did not fail. */
export async function forgiveAttempt(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from sign_in_failures where id = $1', [id]);
}

/** Removes failures that count no longer. */
export async function forgetOldFailures(sql: Sql): Promise<void> {
  await sql.query(`delete from sign_in_failures where failed_at <= now() - ${countedFor}`);
}
