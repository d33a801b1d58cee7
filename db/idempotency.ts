import { raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
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

const keptFor = sql`interval '24 hours'`;
// An hour counts until its last answers are forgotten.
const countedHours = 25;
/** Bytes of answers that an organization may have stored: 700,000 of a link, at 100 calls a minute by key 144,000 a day. */
const storedBytesAtMost = 1_073_741_824;

/**
 * Claims a call for 60 s, unless another attempt holds it, or the organization has no room for another answer. @returns what an
 * earlier, dead attempt made (null: nothing); undefined when another attempt holds the call, it has been answered, or there is no room.
 */
export async function claimCall(
  em: EntityManager,
  call: IdempotentCall,
  { claim, fingerprint }: { claim: string; fingerprint: Buffer },
): Promise<{ made: MadeByCall | null } | undefined> {
  const { organizationId, caller } = call;
  const isFull = (await secondsUntilRoom(em, organizationId, new Date())) !== undefined;
  if (isFull && (await em.count(IdempotencyKey, rowOf(call))) === 0) return undefined;
  const kept = sql<boolean>`idempotency_keys.created_at > now() - ${keptFor}`;
  const claimed = { caller, fingerprint, claim, claimedUntil: sql<Date>`now() + interval '60 seconds'` };
  return em.kysely
    .insertInto('IdempotencyKey')
    .values({ ...rowOf(call), ...claimed })
    .onConflict((conflict) =>
      conflict
        .columns(['organizationId', 'route', 'key'])
        .doUpdateSet({
          ...claimed,
          status: null,
          answer: null,
          made: sql`case when ${kept} then idempotency_keys.made end`,
          createdAt: sql`case when ${kept} then idempotency_keys.created_at else now() end`,
        })
        .where(({ and, eb, not, or }) =>
          or([
            not(kept),
            and([
              eb('IdempotencyKey.status', 'is', null),
              eb('IdempotencyKey.claimedUntil', '<=', sql<Date>`now()`),
              eb('IdempotencyKey.fingerprint', '=', fingerprint),
              eb('IdempotencyKey.caller', '=', caller),
            ]),
          ]),
        ),
    )
    .returning('made')
    .executeTakeFirst();
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

/** Stores the answer of a call, sealed, for repetitions, and counts its bytes with those of what the call has made. */
export async function storeAnswer(
  em: EntityManager,
  claim: string,
  call: IdempotentCall,
  { status, answer }: { status: number; answer: Buffer },
): Promise<void> {
  await em.kysely
    .with('stored', (db) =>
      db
        .updateTable('IdempotencyKey')
        .set({ status, answer })
        .where((eb) => eb.and({ ...rowOf(call), claim }))
        // Names that no table has: of these Kysely would translate one end alone.
        .returning([
          'organizationId as owner',
          sql`octet_length(answer) + coalesce(pg_column_size(made), 0)`.as('size'),
        ]),
    )
    .insertInto('IdempotencyBytes')
    .columns(['organizationId', 'hourAt', 'bytes'])
    .expression(({ selectFrom }) =>
      selectFrom('stored').select(['owner', sql`date_trunc('hour', now())`.as('hour'), 'size']),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organizationId', 'hourAt'])
        .doUpdateSet({ bytes: sql`idempotency_bytes.bytes + excluded.bytes` }),
    )
    .execute();
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
