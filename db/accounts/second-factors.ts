import type { SecondFactorMethod } from '#core/accounts/second-factors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Session } from '#db/entities/accounts/people.ts';
import { Passkey, RecoveryCode, TotpFactor } from '#db/entities/accounts/second-factors.ts';

/** The second factors of a person, the first added passkey first. */
export interface SecondFactors {
  /** Null where no app was confirmed. */
  totp: TotpFactor | null;
  passkeys: Passkey[];
  recoveryCodesLeft: number;
}

export async function readSecondFactors(em: EntityManager, userId: string): Promise<SecondFactors> {
  const totp = await em.findOne(TotpFactor, { user: userId, confirmedAt: { $ne: null } }, { refresh: true });
  const passkeys = await em.find(
    Passkey,
    { user: userId },
    { orderBy: { createdAt: 'asc', id: 'asc' }, refresh: true },
  );
  return { totp, passkeys, recoveryCodesLeft: await em.count(RecoveryCode, { user: userId }) };
}

/** Reads by which second factors a person can show that it is them; empty: they have none. */
export async function findMethods(em: EntityManager, userId: string): Promise<SecondFactorMethod[]> {
  const { totp, passkeys, recoveryCodesLeft } = await readSecondFactors(em, userId);
  return [
    ...(totp === null ? [] : (['totp'] as const)),
    ...(passkeys.length === 0 ? [] : (['passkey'] as const)),
    ...(recoveryCodesLeft === 0 ? [] : (['recoveryCode'] as const)),
  ];
}

/** Notes that a challenge was answered. @returns false where it was before, by another call too. */
export async function spendChallenge(em: EntityManager, idHash: Buffer, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows: count } = await em.kysely
    .insertInto('SpentChallenge')
    .values({ idHash, expiresAt })
    .onConflict((conflict) => conflict.column('idHash').doNothing())
    .executeTakeFirstOrThrow();
  return count === 1n;
}

/** Notes that the person of a session has shown that it is them. @param by a second factor, or what they have instead. */
export async function confirmSession(
  em: EntityManager,
  sessionId: string,
  by: SecondFactorMethod | 'password',
  now: Date,
): Promise<boolean> {
  const changes = by === 'password' ? { confirmedAt: now } : { confirmedAt: now, secondFactorAt: now };
  return (await em.nativeUpdate(Session, { id: sessionId }, changes)) === 1;
}

/** Removes the recovery codes of a person without another second factor; none of their sessions counts as opened by one then. */
export async function forgetWithoutFactor(em: EntityManager, userId: string): Promise<void> {
  const { totp, passkeys } = await readSecondFactors(em, userId);
  if (totp !== null || passkeys.length > 0) return;
  await em.nativeDelete(RecoveryCode, { user: userId });
  await em.nativeUpdate(Session, { user: userId }, { secondFactorAt: null });
}

/** Removes every second factor of a person. @returns how many apps and passkeys there were. */
export async function removeFactorsOf(em: EntityManager, userId: string): Promise<number> {
  const apps = await em.nativeDelete(TotpFactor, { user: userId });
  const passkeys = await em.nativeDelete(Passkey, { user: userId });
  await em.nativeDelete(RecoveryCode, { user: userId });
  return apps + passkeys;
}
