import { AppError } from '#core/errors/errors.ts';
import { tombstoneUserKey } from '#db/organizations/api-keys.ts';
import type { Transaction } from '#db/connection/database.ts';
import { readOrganizationIdsOf } from '#db/organizations/people.ts';
import { anonymizeUser, eraseFromAudit, findPerson, lockSoleOwnerships } from '#db/organizations/person-data.ts';
import { deleteSessionsOf } from '#db/organizations/sessions.ts';
import { announceKey } from './api-keys.ts';
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
 * Erases a person: account, password, sessions, keys and memberships, and their e-mail in the audit log. Things that they
 * created for organizations stay, by an unknown creator. May be repeated without effect.
 * @throws AppError CONFLICT where an organization would be left without an owner.
 */
export async function erasePerson(tx: Transaction, givenEmail: string, { now }: { now: Date }): Promise<Erasure> {
  const email = normalizeEmail(givenEmail);
  const person = await findPerson(tx, email);
  if (person === undefined) {
    const auditLines = await eraseFromAudit(tx, email, undefined);
    return { userId: null, memberships: 0, sessions: 0, apiKeys: 0, auditLines };
  }
  const { id, name } = person;
  const owned = await lockSoleOwnerships(tx, id);
  if (owned.length > 0) {
    const names = owned.map((organization) => `${organization.name} (${organization.id})`).join(', ');
    throw new AppError(
      'CONFLICT',
      `${email} is the only owner of ${names}: make somebody else an owner first, or delete what is not needed.`,
    );
  }
  // Waits for a change of the account that is under way, and begins again where the e-mail belongs to another account then.
  if ((await findPerson(tx, email, 'for update'))?.id !== id) {
    throw new AppError('CONFLICT', `${email} has just been changed; try again.`);
  }
  const organizationIds = await readOrganizationIdsOf(tx, id);
  let apiKeys = 0;
  for (const organizationId of organizationIds) {
    const keyHash = await tombstoneUserKey(tx, organizationId, id);
    if (keyHash === undefined) continue;
    await announceKey(tx, keyHash);
    apiKeys += 1;
  }
  const sessions = await deleteSessionsOf(tx, id);
  await anonymizeUser(tx, id, now);
  const auditLines = await eraseFromAudit(tx, email, name);
  return { userId: id, memberships: organizationIds.length, sessions, apiKeys, auditLines };
}
