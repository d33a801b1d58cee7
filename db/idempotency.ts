import type { Sql } from './connection/database.ts';

/** Identifies a call with an Idempotency-Key, per organization and route. Only its caller may repeat it. */
export interface IdempotentCall {
  organizationId: string;
  route: string;
  key: string;
  /** `key:<id>` or `user:<id>`. */
  caller: string;
}

/** The stored state of a call. `status` null: it is under way, or died. */
interface IdempotencyRow {
  caller: string;
  fingerprint: Buffer;
  status: number | null;
  answer: Buffer | null;
}

const keptFor = `interval '24 hours'`;
const claimedFor = `interval '60 seconds'`;

/**
 * Claims a call for 60 s, unless another attempt holds it. @returns what an earlier, dead attempt made (null: nothing);
 * undefined when another attempt holds the call, or it has been answered.
 */
export async function claimCall(
  sql: Sql,
  { organizationId, route, key, caller }: IdempotentCall,
  { claim, fingerprint }: { claim: string; fingerprint: Buffer },
): Promise<{ made: unknown } | undefined> {
  const { rows } = await sql.query<{ made: unknown }>({
    name: 'claim-call',
    text: `
      insert into idempotency_keys as i (organization_id, route, key, fingerprint, claim, claimed_until, caller)
      values ($1, $2, $3, $4, $5, now() + ${claimedFor}, $6)
      on conflict (organization_id, route, key) do update set
        caller = $6, fingerprint = $4, claim = $5, claimed_until = now() + ${claimedFor}, status = null, answer = null,
        made = case when i.created_at > now() - ${keptFor} then i.made end,
        created_at = case when i.created_at > now() - ${keptFor} then i.created_at else now() end
      where i.created_at <= now() - ${keptFor}
        or (i.status is null and i.claimed_until <= now() and i.fingerprint = $4 and i.caller = $6)
      returning made`,
    values: [organizationId, route, key, fingerprint, claim, caller],
  });
  return rows[0];
}

/** Reads the stored state of a call. */
export async function readCall(
  sql: Sql,
  { organizationId, route, key }: IdempotentCall,
): Promise<IdempotencyRow | undefined> {
  const { rows } = await sql.query<IdempotencyRow>({
    name: 'read-call',
    text: `select caller, fingerprint, status, answer from idempotency_keys
      where organization_id = $1 and route = $2 and key = $3`,
    values: [organizationId, route, key],
  });
  return rows[0];
}

/**
 * Stores, in the transaction of the command, what a call has made. @returns false when the claim was lost: another attempt
 * holds the call, and this one must roll back.
 */
export async function noteMade(tx: Sql, claim: string, call: IdempotentCall, made: unknown): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'note-made',
    text: `update idempotency_keys set made = $5
      where organization_id = $1 and route = $2 and key = $3 and claim = $4 and status is null`,
    values: [call.organizationId, call.route, call.key, claim, JSON.stringify(made)],
  });
  return rowCount === 1;
}

/** Stores the answer of a call, sealed, for repetitions. */
export async function storeAnswer(
  sql: Sql,
  claim: string,
  call: IdempotentCall,
  { status, answer }: { status: number; answer: Buffer },
): Promise<void> {
  await sql.query({
    name: 'store-answer',
    text: `update idempotency_keys set status = $5, answer = $6
      where organization_id = $1 and route = $2 and key = $3 and claim = $4`,
    values: [call.organizationId, call.route, call.key, claim, status, answer],
  });
}

/**
 * Releases a call that failed: it may be tried again at once. What it has made stays stored. Waits for a commit of the command
 * that is still under way.
 */
export async function freeCall(sql: Sql, claim: string, call: IdempotentCall): Promise<void> {
  const values = [call.organizationId, call.route, call.key, claim];
  const where = 'organization_id = $1 and route = $2 and key = $3 and claim = $4';
  // A second statement: it sees the rows of a commit that the first one waited for.
  await sql.query({
    name: 'end-claim',
    text: `update idempotency_keys set claimed_until = now() where ${where}`,
    values,
  });
  await sql.query({
    name: 'free-call',
    text: `delete from idempotency_keys where ${where} and made is null`,
    values,
  });
}

/** Removes calls older than 24 hours, and rate windows that ended long ago. @returns how many rows. */
export async function forgetOldCalls(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(`
    with calls as (delete from idempotency_keys where created_at <= now() - ${keptFor} returning 1),
      windows as (delete from rate_windows where minute_at <= now() - interval '1 hour' returning 1)
    select (select count(*) from calls) + (select count(*) from windows) as count`);
  return rows[0]!.count;
}
