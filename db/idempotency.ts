import { raw } from '@mikro-orm/postgresql';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { IdempotencyBytes, IdempotencyKey, type MadeByCall, RateWindows } from '#db/entities/calls.ts';

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
// An hour counts until its last answers are forgotten.
const countedHours = 25;
/** Bytes of answers that an organization may have stored: 700,000 of a link, at 100 calls a minute by key 144,000 a day. */
const storedBytesAtMost = 1_073_741_824;

// By hand: one statement decides which attempt goes on, before any create with an Idempotency-Key; no benchmark runs it.
/**
 * Claims a call for 60 s, unless another attempt holds it, or the organization has no room for another answer. @returns what an
 * earlier, dead attempt made (null: nothing); undefined when another attempt holds the call, it has been answered, or there is no room.
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
      select $1::uuid, $2::text, $3::text, $4::bytea, $5::uuid, now() + ${claimedFor}, $6::text
      -- The sum of at most 26 rows.
      where coalesce((select sum(bytes) from idempotency_bytes
          where organization_id = $1 and hour_at > now() - interval '${countedHours} hours'), 0) < ${storedBytesAtMost}
        or exists (select from idempotency_keys where organization_id = $1 and route = $2 and key = $3)
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

// By hand: one round trip at the end of every create with an Idempotency-Key; no benchmark runs it.
/** Stores the answer of a call, sealed, for repetitions, and counts its bytes with those of what the call has made. */
export async function storeAnswer(
  sql: Sql,
  claim: string,
  { organizationId, route, key }: IdempotentCall,
  { status, answer }: { status: number; answer: Buffer },
): Promise<void> {
  await sql.query({
    name: 'store-answer',
    text: `
      with stored as (
        update idempotency_keys set status = $5, answer = $6
        where organization_id = $1 and route = $2 and key = $3 and claim = $4
        returning organization_id, octet_length(answer) + coalesce(pg_column_size(made), 0) as bytes)
      insert into idempotency_bytes as b (organization_id, hour_at, bytes)
      select organization_id, date_trunc('hour', now()), bytes from stored
      on conflict (organization_id, hour_at) do update set bytes = b.bytes + excluded.bytes`,
    values: [organizationId, route, key, claim, status, answer],
  });
}

/** In how many seconds an organization whose stored answers fill its room has more; undefined: it has room. */
export async function secondsUntilRoom(
  em: EntityManager,
  organizationId: string,
  now: Date,
): Promise<number | undefined> {
  const since = new Date(now.getTime() - countedHours * 3_600_000);
  const hours = await em.find(
    IdempotencyBytes,
    { organizationId, hourAt: { $gt: since } },
    { orderBy: { hourAt: 'asc' } },
  );
  const bytes = hours.reduce((sum, hour) => sum + hour.bytes, 0);
  if (bytes < storedBytesAtMost) return undefined;
  return Math.max(1, Math.ceil((hours[0]!.hourAt.getTime() - since.getTime()) / 1_000));
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
  await em.nativeDelete(IdempotencyBytes, { hourAt: { $lte: ago(countedHours) } });
  await em.nativeDelete(RateWindows, { minuteAt: { $lte: ago(1) } });
}
