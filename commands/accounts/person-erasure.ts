import { AppError } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import {
  AccountNotice,
  ApiKey,
  Invitation,
  KnownDevice,
  Membership,
  PasswordReset,
  Session,
  User,
} from '#db/entities/accounts/people.ts';
import { anonymizeUser, eraseFromAudit, eraseLoggedCalls, lockSoleOwnerships } from '#db/accounts/person-data.ts';
import { endLostInvitations } from '#commands/organizations/inviters.ts';
import { normalizeEmail } from './people.ts';

interface Erasure {
  /** The account's id. Rows keep it, and after the erasure it leads to no person; null: there was no account. */
  userId: string | null;
  memberships: number;
  sessions: number;
  apiKeys: number;
  auditLines: number;
}

/**
 * Erases a person: account, password, sessions, keys and memberships, their calls in the request log, and their e-mail in the audit log. Things that they
 * created for organizations stay, by an unknown creator. May be repeated without effect.
 * @throws AppError CONFLICT where an organization would be left without an owner.
 */
export async function erasePerson(em: EntityManager, givenEmail: string, now: Date): Promise<Erasure> {
  const email = normalizeEmail(givenEmail);
  await em.nativeDelete(Invitation, { email });
  const people = em.getRepository(User);
  const person = await people.findPerson(email);
  if (person === null) {
    await eraseLoggedCalls(em, email, undefined);
    const auditLines = await eraseFromAudit(em, email, undefined);
    return { userId: null, memberships: 0, sessions: 0, apiKeys: 0, auditLines };
  }
  const { id, name } = person;
  const owned = await lockSoleOwnerships(em, id);
  if (owned.length > 0) {
    const names = owned.map((organization) => `${organization.name} (${organization.id})`).join(', ');
    throw new AppError(
      'CONFLICT',
      `${email} is the only owner of ${names}: make another person an owner first, or delete the organizations.`,
    );
  }
  // Waits for a change of the account that is under way, and begins again where the e-mail belongs to another account then.
  if ((await people.hold(id))?.email !== email) {
    throw new AppError('CONFLICT', `${email} has just been changed; try again.`);
  }
  const memberships = await em.find(Membership, { user: id }, { orderBy: { organization: { id: 'asc' } } });
  let apiKeys = 0;
  for (const { organization } of memberships) {
    const key = await em.getRepository(ApiKey).revokeOf(organization.id, id, now);
    if (key !== undefined) apiKeys += 1;
  }
  await em.flush();
  const sessions = await em.getRepository(Session).endAllOf(id);
  await em.getRepository(PasswordReset).endAllOf(id);
  await em.nativeDelete(AccountNotice, { user: id });
  await em.nativeDelete(KnownDevice, { user: id });
  // Before the account is anonymized, which takes its name off the invitations: they end with the memberships.
  await em.nativeDelete(Membership, { user: id });
  for (const { organization } of memberships) {
    await endLostInvitations(em, { organizationId: organization.id, userId: id }, now);
  }
  await anonymizeUser(em, id, now);
  await eraseLoggedCalls(em, email, id);
  const auditLines = await eraseFromAudit(em, email, name);
  return { userId: id, memberships: memberships.length, sessions, apiKeys, auditLines };
}
