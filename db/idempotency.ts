import { raw } from '@mikro-orm/postgresql';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { IdempotencyKey, type MadeByCall, RateWindows } from '#db/entities/calls.ts';

/** Identifies a call with an Idempotency-Key, per organization and route. Only its caller may repeat it. */
export interface IdempotentCall {
  organizationId: string;
  route: string;
  key: string;
  /** `key:<id>` or `user:<id>`. */
  caller: string;
}

const keptFor = `interval '24 hours'`;
const claimedFor = `interval '60 seconds'`;

// By hand: one statement decides which attempt goes on, before any create with an Idempotency-Key; no benchmark runs it.
/**
 * Claims a call for 60 s, unless another attempt holds it. @returns what an earlier, dead attempt made (null: nothing);
 * undefined when another attempt holds the call, or it has been answered.
 */
export async function claimCall(
  sql: Sql,
  { organizationId, route, key, caller }: IdempotentCall,
  { claim, fingerprint }: { claim: string; fingerprint: Buffer },
): Promise<{ made: MadeByCall | null } | undefined> {
  const { rows } = await sql.query<{ made: MadeByCall | null }>({
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

/** Reads the stored state of a call. `status` null: it is under way, or died. */
export function readCall(em: EntityManager, call: IdempotentCall) {
  return em.findOne(IdempotencyKey, rowOf(call));
}

function rowOf({ organizationId, route, key }: IdempotentCall) {
  return { organizationId, route, key };
}

/**
 * Stores, in the transaction of the command, what a call has made. @returns false when the claim was lost: another attempt
 * holds the call, and this one must roll back.
 */
export async function noteMade(
  em: EntityManager,
  claim: string,
  call: IdempotentCall,
  made: MadeByCall,
): Promise<boolean> {
  return (await em.nativeUpdate(IdempotencyKey, { ...rowOf(call), claim, status: null }, { made })) === 1;
}

/** Stores the answer of a call, sealed, for repetitions. */
export async function storeAnswer(
  em: EntityManager,
  claim: string,
  call: IdempotentCall,
  stored: { status: number; answer: Buffer },
): Promise<void> {
  await em.nativeUpdate(IdempotencyKey, { ...rowOf(call), claim }, stored);
}

/**
 * Releases a call that failed: it may be tried again at once. What it has made stays stored. Waits for a commit of the command
 * that is still under way.
 */
export async function freeCall(em: EntityManager, claim: string, call: IdempotentCall): Promise<void> {
  const claimed = { ...rowOf(call), claim };
  await em.nativeUpdate(IdempotencyKey, claimed, { claimedUntil: raw('now()') });
  // A second statement: it sees the rows of a commit that the first one waited for.
  await em.nativeDelete(IdempotencyKey, { ...claimed, made: null });
}

/** Removes calls older than 24 hours, and rate windows that ended long ago. */
export async function forgetOldCalls(em: EntityManager, now: Date): Promise<void> {
  const ago = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
  await em.nativeDelete(IdempotencyKey, { createdAt: { $lte: ago(24) } });
  await em.nativeDelete(RateWindows, { minuteAt: { $lte: ago(1) } });
}
