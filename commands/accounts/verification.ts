import { AppError } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ApiKey, KnownDevice, OidcIdentity, PasswordReset, Session, User } from '#db/entities/accounts/people.ts';
import { removeFactorsOf } from '#db/accounts/second-factors.ts';
import { recordAction } from '#commands/organizations/audit.ts';
import { endLostInvitations } from '#commands/organizations/inviters.ts';

/**
 * Checks that an account may be given something by its e-mail (2.24).
 * @throws AppError CONFLICT for an account whose e-mail is not verified: another person may have made it by a link that was not mailed.
 */
export function requireVerifiedEmail({ email, emailVerifiedAt }: User): void {
  if (emailVerifiedAt !== null && emailVerifiedAt !== undefined) return;
  throw new AppError(
    'CONFLICT',
    `The account ${email} has not shown that the e-mail is its own. Its person chooses a new password by mail; or the operator hands it to the person with \`waymark user set-password\`, or, where it is the right person who uses it, runs \`waymark user verify-email\`.`,
  );
}

/** Notes that the person who uses an account has its mailbox. An account that is verified stays as it is. */
export async function verifyEmail(em: EntityManager, userId: string, now: Date): Promise<void> {
  await em.nativeUpdate(User, { id: userId, emailVerifiedAt: null }, { emailVerifiedAt: now });
}

/**
 * Gives an account whose e-mail is not verified to the person who has shown that it is theirs: password, second factors, sessions, API
 * keys, known browsers and identities may be of another person, and end (2.24). An account that is verified stays as it is.
 * @returns whether it was handed over.
 */
export async function handOver(em: EntityManager, userId: string, now: Date): Promise<boolean> {
  const user = await em.getRepository(User).hold(userId);
  if (user === null || user.emailVerifiedAt) return false;
  await em.nativeUpdate(User, { id: userId }, { emailVerifiedAt: now, passwordHash: null, updatedAt: now });
  await removeFactorsOf(em, userId);
  await em.nativeDelete(KnownDevice, { user: userId });
  await em.nativeDelete(OidcIdentity, { user: userId });
  await em.getRepository(PasswordReset).endAllOf(userId);
  await em.getRepository(Session).endAllOf(userId);
  await revokeKeysOf(em, userId, now);
  return true;
}

/** Revokes the keys that an account has in its organizations, with the invitations made by them. */
async function revokeKeysOf(em: EntityManager, userId: string, now: Date): Promise<void> {
  for (const key of await em.find(ApiKey, { user: userId, type: 'user' })) {
    const { id: subjectId, name, type } = key;
    const organizationId = key.organization.id;
    key.revoke(now);
    await em.flush();
    await endLostInvitations(em, { organizationId, userId }, now);
    const line = { action: 'apiKey.revoked', userId: null, organizationId, subjectId, details: { name, type } };
    await recordAction(em, { caller: 'system', ...line }, now);
  }
}
