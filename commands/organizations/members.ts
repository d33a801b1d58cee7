import { v7 as uuidv7 } from 'uuid';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { Role } from '#core/organizations/permissions.ts';
import { tombstoneUserKey } from '#db/organizations/api-keys.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import type { Transaction } from '#db/connection/database.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { readOrganization } from '#db/organizations/organizations.ts';
import {
  countOwners,
  deleteMembership,
  findCredentials,
  findWorkplace,
  insertMembership,
  insertUser,
  readRole,
} from '#db/organizations/people.ts';
import { deleteSessionsOf } from '#db/organizations/sessions.ts';
import { announceKey } from './api-keys.ts';
import { hashNewPassword, normalizeEmail } from './people.ts';

/** A member of an organization. */
interface MemberId {
  organizationId: string;
  userId: string;
}

/** A person to be added as a member. */
interface MemberDraft extends UserDraft {
  organizationId: string;
  role: Role;
}

/**
 * Makes a person a member of an organization; an existing account keeps its password. @returns their id.
 * @throws AppError NOT_FOUND for an unknown organization, ALREADY_EXIST for a member, VALIDATION_ERROR where the person is new
 * and the password missing, too short, too long or too common.
 */
export async function addMember(tx: Transaction, { organizationId, role, ...draft }: MemberDraft): Promise<string> {
  const organization = await readOrganization(tx, organizationId);
  const userId = await findOrMakeUser(tx, draft, organization?.name);
  await lockOrganization(tx, organizationId);
  const workplace = await findWorkplace(tx, organizationId, userId);
  if (workplace === undefined) throw new AppError('NOT_FOUND', `There is no organization ${organizationId}.`);
  if (workplace.isMember) throw new AppError('ALREADY_EXIST', `${normalizeEmail(draft.email)} is a member already.`);
  await insertMembership(tx, { organizationId, userId, role });
  return userId;
}

/** An account, as it is created where the e-mail is unknown. */
export interface UserDraft {
  email: string;
  /** Default: the part of the e-mail before the @. */
  name?: string | undefined;
  password?: string | undefined;
  /** Name of the field that holds the password, for errors. Default: `password`. */
  passwordField?: string;
  isStaff?: boolean | undefined;
  /** Whether a common password is accepted. Default: no. */
  mayHaveCommonPassword?: boolean | undefined;
}

/**
 * Finds the person with an e-mail, or creates their account. @returns their id.
 * @param organizationName of the organization that they will work in: its words make a weak password.
 * @throws AppError VALIDATION_ERROR where they are new and the password missing, too short, too long or too common;
 * ALREADY_EXIST where another call creates the account at the same moment.
 */
export async function findOrMakeUser(
  tx: Transaction,
  { name, password, passwordField = 'password', isStaff, mayHaveCommonPassword: mayBeCommon, ...draft }: UserDraft,
  organizationName = '',
): Promise<string> {
  const email = normalizeEmail(draft.email);
  const known = await findCredentials(tx, email);
  if (known !== undefined) return known.id;
  if (password === undefined) throw invalid(passwordField, 'is needed: no user has this e-mail yet');
  const id = uuidv7();
  const passwordHash = await hashNewPassword(passwordField, password, {
    own: [email, name ?? '', organizationName],
    mayBeCommon,
  });
  try {
    await insertUser(tx, { id, type: 'human', email, name: name ?? email.split('@')[0]!, passwordHash, isStaff });
  } catch (error) {
    throw isUniqueViolation(error, 'users_email_key')
      ? new AppError('ALREADY_EXIST', `${email} has just been added.`)
      : error;
  }
  return id;
}

/**
 * Ends a membership, with the member's key and sessions in the organization. Links and other things that they created stay.
 * @throws AppError NOT_FOUND for a person who is not a member, VALIDATION_ERROR for the only owner.
 */
export async function removeMember(tx: Transaction, { organizationId, userId }: MemberId): Promise<void> {
  const role = await requireMember(tx, { organizationId, userId });
  if (role === 'owner' && (await countOwners(tx, organizationId)) === 1) {
    throw invalid('userId', 'belongs to the only owner: an organization keeps at least one');
  }
  await deleteMembership(tx, { organizationId, userId });
  const keyHash = await tombstoneUserKey(tx, organizationId, userId);
  if (keyHash !== undefined) await announceKey(tx, keyHash);
  await deleteSessionsOf(tx, userId, { organizationId });
}

/** Reads a member's role, and locks the organization: of two owners who leave at once, one stays. */
async function requireMember(tx: Transaction, { organizationId, userId }: MemberId): Promise<Role> {
  await lockOrganization(tx, organizationId);
  const role = await readRole(tx, { organizationId, userId }, 'for update of m');
  if (role === undefined) throw new AppError('NOT_FOUND', 'This user is not a member of the organization.');
  return role;
}
