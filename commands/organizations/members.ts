import type { Actor } from '#core/audit/actor.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { IsBreached } from '#core/accounts/breached-passwords.ts';
import type { Role } from '#core/organizations/permissions.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { ApiKey, Membership, Organization, Session, User } from '#db/entities/accounts/people.ts';
import { flushRefusing } from '#commands/flush.ts';
import { recordChange } from './audit.ts';
import { notOfRole, requireRoleGrant } from './grants.ts';
import { endLostInvitations } from './inviters.ts';
import { hashNewPassword, normalizeEmail } from '#commands/accounts/people.ts';
import { requireVerifiedEmail } from '#commands/accounts/verification.ts';

interface MemberId {
  organizationId: string;
  userId: string;
}

interface MemberDraft extends UserDraft {
  organizationId: string;
  role: Role;
}

/**
 * Makes a person a member of an organization. @returns their id, and whether the account is new.
 * @throws AppError NOT_FOUND for an unknown organization, ALREADY_EXIST for a member, and as `findOrCreateUser`.
 */
export async function addMember(
  em: EntityManager,
  { organizationId, role, ...draft }: MemberDraft,
): Promise<{ userId: string; isNewAccount: boolean }> {
  const organization = await em.findOne(Organization, { id: organizationId });
  const { userId, isNewAccount } = await findOrCreateUser(em, draft, organization?.name);
  await lockOrganization(em, organizationId);
  const members = em.getRepository(Membership);
  const workplace = await members.findWorkplace(organizationId, userId);
  if (workplace === undefined) throw new AppError('NOT_FOUND', `There is no organization ${organizationId}.`);
  if (workplace.isMember)
    throw new AppError('ALREADY_EXIST', `${normalizeEmail(draft.email)} is a member already.`, { reason: 'email' });
  members.add(organizationId, userId, role);
  await em.flush();
  return { userId, isNewAccount };
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
  /** Tells of a new password whether it was stolen somewhere. */
  isBreached?: IsBreached | undefined;
}

/**
 * Finds the person with an e-mail, to whom the operator or staff give something, or creates their account: its e-mail counts as verified.
 * @param organizationName of the organization that they will work in: its words make a weak password.
 * @returns their id, and whether the account is new.
 * @throws AppError VALIDATION_ERROR where they are new and the password missing, too short, too long or too common, and where they
 * have an account and a password is given; CONFLICT where the e-mail of their account is not verified; ALREADY_EXIST where
 * another call creates the account at the same moment.
 */
export async function findOrCreateUser(
  em: EntityManager,
  {
    name,
    password,
    passwordField = 'password',
    isStaff,
    mayHaveCommonPassword: mayBeCommon,
    isBreached,
    ...draft
  }: UserDraft,
  organizationName = '',
): Promise<{ userId: string; isNewAccount: boolean }> {
  const email = normalizeEmail(draft.email);
  const people = em.getRepository(User);
  const known = await people.findPerson(email);
  if (known !== null) {
    requireVerifiedEmail(known);
    if (password !== undefined)
      throw invalid(passwordField, `must be left out: ${email} has an account and its password`);
    return { userId: known.id, isNewAccount: false };
  }
  if (password === undefined) throw invalid(passwordField, 'is needed: no user has this e-mail yet');
  const passwordHash = await hashNewPassword(passwordField, password, {
    own: [email, name ?? '', organizationName],
    mayBeCommon,
    isBreached,
  });
  const called = name ?? email.split('@')[0]!;
  const person = { type: 'human', email, name: called, passwordHash, isStaff, emailVerifiedAt: new Date() } as const;
  const user = people.add(person);
  await flushRefusing(em, {
    users_email_key: () => new AppError('ALREADY_EXIST', `${email} has just been added.`, { reason: 'email' }),
  });
  return { userId: user.id, isNewAccount: true };
}

/**
 * Ends a membership, with the member's key, sessions and open invitations in the organization. Links and other things that they created stay.
 * @throws AppError NOT_FOUND for a person who is not a member, VALIDATION_ERROR for the only owner.
 */
export async function removeMember(em: EntityManager, { organizationId, userId }: MemberId): Promise<void> {
  const members = em.getRepository(Membership);
  // Of two owners who leave at once, one stays.
  await lockOrganization(em, organizationId);
  const role = await members.roleOf({ organizationId, userId }, 'update');
  if (role === undefined) throw new AppError('NOT_FOUND', 'This user is not a member of the organization.');
  if (role === 'owner' && (await members.countOwners(organizationId)) === 1) {
    throw invalid('userId', 'belongs to the only owner: an organization keeps at least one');
  }
  await members.nativeDelete({ organization: organizationId, user: userId });
  await em.getRepository(ApiKey).revokeOf(organizationId, userId, new Date());
  await em.getRepository(Session).endAllOf(userId, { organizationId });
  await endLostInvitations(em, { organizationId, userId }, new Date());
}

/**
 * Ends the membership of another person: owners and admins may, and owners alone remove owners.
 * @throws AppError NOT_FOUND for a person who is not a member, CONFLICT for the caller, ACTION_NOT_ALLOWED where an admin removes an
 * owner, or the caller is no admin any more.
 */
export async function expelMember(em: EntityManager, actor: Actor, userId: string, now: Date): Promise<void> {
  const { organizationId } = actor;
  if (userId === actor.userId) {
    throw new AppError('CONFLICT', 'You cannot remove yourself: leave by POST /auth/organization/leave.');
  }
  const members = em.getRepository(Membership);
  // Of two owners who remove each other at once, one stays.
  await lockOrganization(em, organizationId);
  const member = await members.findMember(organizationId, userId);
  if (member === null) throw new AppError('NOT_FOUND', 'This user is not a member of the organization.');
  const own = await members.roleOf({ organizationId, userId: actor.userId });
  const mayRemove = own === 'owner' || (own === 'admin' && member.role !== 'owner');
  if (!mayRemove) {
    const message = own === 'admin' ? 'Only an owner may remove an owner.' : 'A member may not remove people.';
    throw notOfRole(message, 'delete');
  }
  const details = { email: member.user.email, role: member.role };
  await removeMember(em, { organizationId, userId });
  await recordChange(em, actor, { action: 'members.removed', subjectId: userId, details }, now);
}

/**
 * Ends the membership of the caller. The session moves to another organization of the person, where one lets them work; else it ends.
 * @throws AppError CONFLICT for the only owner.
 */
export async function leaveOrganization(em: EntityManager, actor: Actor, sessionId: string, now: Date): Promise<void> {
  const { organizationId, userId } = actor;
  const members = em.getRepository(Membership);
  await lockOrganization(em, organizationId);
  const role = await members.roleOf({ organizationId, userId }, 'update');
  if (role === 'owner' && (await members.countOwners(organizationId)) === 1) {
    throw new AppError(
      'CONFLICT',
      'You are the only owner: make another person an owner first, or delete the organization.',
    );
  }
  const other = await members.findFirstWorkplace(userId, { except: organizationId });
  if (other !== undefined && !other.isSuspended) {
    await em.nativeUpdate(Session, { id: sessionId, isByProvider: false }, { organization: other.organizationId });
  }
  await removeMember(em, { organizationId, userId });
  await recordChange(em, actor, { action: 'members.left', subjectId: userId }, now);
}

/**
 * Makes a member the owner in the place of the caller, who becomes an admin. The member's sessions in the organization end, and their key
 * has the rights of an owner with its next call.
 * @throws AppError ACTION_NOT_ALLOWED for others than owners, VALIDATION_ERROR at `userId` for the caller, NOT_FOUND for a person who
 * is not a member.
 */
export async function transferOwnership(
  em: EntityManager,
  actor: Actor,
  { userId, sessionId }: { userId: string; sessionId: string },
  now: Date,
): Promise<void> {
  const { organizationId } = actor;
  // The caller's role stays until the end of the transaction.
  await lockOrganization(em, organizationId);
  if ((await em.getRepository(Membership).roleOf({ organizationId, userId: actor.userId })) !== 'owner') {
    throw notOfRole('Only an owner may transfer the ownership.', 'update');
  }
  if (userId === actor.userId) throw invalid('userId', 'must be another person than yourself');
  await changeRole(em, actor, { userId, role: 'owner' }, { now });
  await changeRole(em, actor, { userId: actor.userId, role: 'admin' }, { now, keepSessionId: sessionId });
}

/**
 * Changes a member's role. Owners and admins may; what owners are, owners alone decide. The member's sessions in the organization end,
 * except `keepSessionId`, and their key has the rights of the new role with its next call.
 * @returns the membership with its user.
 * @throws AppError NOT_FOUND for a person who is not a member, ACTION_NOT_ALLOWED where an admin makes or unmakes an owner, or a
 * key grants more than it holds, VALIDATION_ERROR for the only owner.
 */
export async function changeRole(
  em: EntityManager,
  actor: Actor,
  { userId, role }: { userId: string; role: Role },
  { now, keepSessionId }: { now: Date; keepSessionId?: string | undefined },
): Promise<Membership> {
  const { organizationId } = actor;
  const members = em.getRepository(Membership);
  // Of two owners who are changed at once, one stays.
  await lockOrganization(em, organizationId);
  // It may have been deleted while this call waited for the lock.
  await em.getRepository(Organization).get(organizationId);
  const member = await members.findMember(organizationId, userId);
  if (member === null) throw new AppError('NOT_FOUND', 'This user is not a member of the organization.');
  const before = member.role;
  if (before === role) return member;
  const isAboutOwners = before === 'owner' || role === 'owner';
  if (isAboutOwners && (await members.roleOf({ organizationId, userId: actor.userId })) !== 'owner') {
    throw notOfRole('Only an owner may make or unmake an owner.', 'update');
  }
  await requireRoleGrant(em, actor, role, before);
  if (before === 'owner' && (await members.countOwners(organizationId)) === 1) {
    throw invalid('role', 'must stay owner: this is the only owner, and an organization keeps at least one');
  }
  member.role = role;
  await em.flush();
  await em.getRepository(Session).endAllOf(userId, { organizationId, keepId: keepSessionId });
  await endLostInvitations(em, { organizationId, userId }, now);
  const details = { email: member.user.email, from: before, to: role };
  await recordChange(em, actor, { action: 'members.setRole', subjectId: userId, details }, now);
  return member;
}
