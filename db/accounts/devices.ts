import type { EntityManager } from '#db/connection/entity-manager.ts';
import { KnownDevice } from '#db/entities/accounts/people.ts';

/** A browser that has not signed in for this long counts as new again. */
export const deviceDays = 400;
// People have a handful of browsers.
const devicesAtMost = 50;

/**
 * Notes that a person signs in by a browser. @param tokenHash of the browser's token; undefined: it has none.
 * @returns whether the browser is new to an account that knows others.
 */
export async function recognizeDevice(
  em: EntityManager,
  { userId, tokenHash }: { userId: string; tokenHash: Buffer | undefined },
  now: Date,
): Promise<boolean> {
  if (tokenHash !== undefined) {
    const known = await em.nativeUpdate(KnownDevice, { user: userId, tokenHash }, { lastSeenAt: now });
    if (known > 0) return false;
  }
  return (await em.findOne(KnownDevice, { user: userId }, { fields: ['createdAt'] })) !== null;
}

/** Remembers a browser in which a person is signed in. Of more than 50 the one is forgotten that signed in longest ago. */
export async function rememberDevice(
  em: EntityManager,
  { userId, tokenHash }: { userId: string; tokenHash: Buffer },
  now: Date,
): Promise<void> {
  const added = await em.kysely
    .insertInto('KnownDevice')
    .values({ user: userId, tokenHash, createdAt: now, lastSeenAt: now })
    .onConflict((conflict) => conflict.columns(['user', 'tokenHash']).doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows === 0n) return;
  const surplus = await em.find(
    KnownDevice,
    { user: userId },
    { orderBy: { lastSeenAt: 'desc' }, offset: devicesAtMost, limit: devicesAtMost, fields: ['tokenHash'] },
  );
  for (const device of surplus) await em.nativeDelete(KnownDevice, { user: userId, tokenHash: device.tokenHash });
}

/** Whether a browser is known to the account of an e-mail. One query, also for an e-mail that no account has. */
export async function isKnownDevice(
  em: EntityManager,
  { email, tokenHash }: { email: string; tokenHash: Buffer },
): Promise<boolean> {
  const known = { tokenHash, user: { email, type: 'human', deletedAt: null } } as const;
  return (await em.count(KnownDevice, known)) > 0;
}
