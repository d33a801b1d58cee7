import { AppError, invalid } from '#core/errors/errors.ts';
import type { IsBreached } from '#core/accounts/breached-passwords.ts';
import { isCommonPassword } from '#core/accounts/common-passwords.ts';
import { countCharacters } from '#core/lib/schemas.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { PasswordReset, Session, User } from '#db/entities/accounts/people.ts';
import { notifyPerson } from '#commands/accounts/notices.ts';
import { hashPassword } from './passwords.ts';
import { requireVerifiedEmail, verifyEmail } from './verification.ts';

const shortestPassword = 8;
const longestPassword = 128;

/** The form in which e-mail addresses are stored and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

interface NewPasswordOptions {
  /** Words about the person, which make a weak password: e-mail, name, names of organizations. */
  own?: readonly string[];
  /** Whether a common password is accepted: the operator's, at a first start. */
  mayBeCommon?: boolean | undefined;
  /** Default: no password is known to be stolen. */
  isBreached?: IsBreached | undefined;
}

/** Why a password cannot be a new one: it is too short, too long, too common, or on a list of stolen passwords. */
export async function newPasswordProblem(
  password: string,
  { own = [], mayBeCommon = false, isBreached }: NewPasswordOptions = {},
): Promise<string | undefined> {
  const length = countCharacters(password);
  if (length < shortestPassword || length > longestPassword)
    return `must have ${shortestPassword} to ${longestPassword} characters`;
  if (mayBeCommon) return undefined;
  if (isCommonPassword(password, own)) return tooCommon;
  const isStolen = (await isBreached?.(password)) === true;
  return isStolen ? 'is on lists of stolen passwords, which attackers try; choose another one' : undefined;
}

export const tooCommon = 'is too common: attackers guess such passwords first; choose another one';

/** Hashes a new password. @throws AppError VALIDATION_ERROR at `path` as `newPasswordProblem`. */
export async function hashNewPassword(path: string, password: string, options: NewPasswordOptions): Promise<string> {
  const problem = await newPasswordProblem(password, options);
  if (problem !== undefined) throw invalid(path, problem);
  return hashPassword(password);
}

/** Hashes a new password of an existing user. @throws as `hashNewPassword`. */
export async function hashPasswordOf(
  em: EntityManager,
  userId: string,
  path: string,
  password: string,
  isBreached: IsBreached,
): Promise<string> {
  return hashNewPassword(path, password, { own: await em.getRepository(User).ownWords(userId), isBreached });
}

/**
 * Stores a user's new password, as a hash, tells them by mail, and ends their sessions on every process, except `keepSessionId`, and links for
 * a new password. @returns how many sessions ended.
 * @throws AppError CONFLICT where `checkedHash`, the hash that the caller has verified, has been replaced: of two changes at
 * once, one wins.
 */
export async function setPassword(
  em: EntityManager,
  userId: string,
  passwordHash: string,
  { keepSessionId, checkedHash }: { keepSessionId?: string; checkedHash?: string | null } = {},
): Promise<number> {
  if (!(await em.getRepository(User).setPasswordHash(userId, passwordHash, checkedHash))) {
    throw new AppError('CONFLICT', 'The password has just been changed by another call.');
  }
  await em.getRepository(PasswordReset).endAllOf(userId);
  await notifyPerson(em, { userId, kind: 'passwordChanged' }, new Date());
  return em.getRepository(Session).endAllOf(userId, { keepId: keepSessionId });
}

export async function changeName(em: EntityManager, userId: string, name: string, now: Date): Promise<User> {
  const user = await em.findOneOrFail(User, { id: userId });
  if (user.name !== name) {
    user.name = name;
    user.updatedAt = now;
  }
  return user;
}

/** Makes a user staff, who may use the internal tools. @throws AppError NOT_FOUND, CONFLICT where the e-mail is not verified. */
export async function addStaff(em: EntityManager, email: string): Promise<User> {
  const user = await findUserByEmail(em, email);
  requireVerifiedEmail(user);
  user.isStaff = true;
  user.updatedAt = new Date();
  await em.flush();
  return user;
}

/**
 * Takes a user's staff rights away and ends their sessions, on every process at once; repeating it is no error.
 * @returns the user, and how many sessions ended. @throws AppError NOT_FOUND.
 */
export async function removeStaff(em: EntityManager, email: string): Promise<{ user: User; endedSessions: number }> {
  const user = await findUserByEmail(em, email);
  user.isStaff = false;
  user.updatedAt = new Date();
  return { user, endedSessions: await em.getRepository(Session).endAllOf(user.id) };
}

/** Finds a person by e-mail. @throws AppError NOT_FOUND. */
export async function findUserByEmail(em: EntityManager, email: string): Promise<User> {
  const user = await em.getRepository(User).findPerson(normalizeEmail(email));
  if (user === null) throw new AppError('NOT_FOUND', `There is no user ${normalizeEmail(email)}.`);
  return user;
}

/** Notes by the operator's word that the person who uses an account has its mailbox. @throws AppError NOT_FOUND. */
export async function confirmEmail(em: EntityManager, email: string, now: Date): Promise<User> {
  const { id } = await findUserByEmail(em, email);
  await verifyEmail(em, id, now);
  return em.getRepository(User).findOneOrFail({ id }, { refresh: true });
}
