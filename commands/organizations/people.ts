import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, invalid } from '#core/errors/errors.ts';
import { isCommonPassword } from '#core/organizations/common-passwords.ts';
import { countCharacters } from '#core/lib/text.ts';
import type { Sql, Transaction } from '#db/connection/database.ts';
import { User } from '#db/entities/people.ts';
import { readOwnWords, setPasswordHash, unsetStaff } from '#db/organizations/people.ts';
import { deleteSessionsOf } from '#db/organizations/sessions.ts';
import { hashPassword } from './passwords.ts';

/** A person's row. */
export type UserRow = InferEntity<typeof User>;

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
}

/**
 * Hashes a new password.
 * @throws AppError VALIDATION_ERROR at `path` where it is too short, too long or too common.
 */
export async function hashNewPassword(
  path: string,
  password: string,
  { own = [], mayBeCommon = false }: NewPasswordOptions = {},
): Promise<string> {
  const length = countCharacters(password);
  if (length < shortestPassword || length > longestPassword) {
    throw invalid(path, `must have ${shortestPassword} to ${longestPassword} characters`);
  }
  if (!mayBeCommon && isCommonPassword(password, own)) {
    throw invalid(path, 'is one of those that are guessed first; choose one that is not');
  }
  return hashPassword(password);
}

/** Hashes a new password of an existing user. @throws as `hashNewPassword`. */
export async function hashPasswordOf(sql: Sql, userId: string, path: string, password: string): Promise<string> {
  return hashNewPassword(path, password, { own: await readOwnWords(sql, userId) });
}

/**
 * Stores a user's new password, as a hash, and ends their sessions on every process, except `keepSessionId` (2.8). @returns how
 * many sessions ended.
 * @throws AppError CONFLICT where `checkedHash`, the hash that the caller has verified, has been replaced: of two changes at
 * once, one wins.
 */
export async function setPassword(
  tx: Transaction,
  userId: string,
  passwordHash: string,
  { keepSessionId, checkedHash }: { keepSessionId?: string; checkedHash?: string | null } = {},
): Promise<number> {
  if (!(await setPasswordHash(tx, userId, passwordHash, checkedHash))) {
    throw new AppError('CONFLICT', 'The password has just been changed by another call.');
  }
  return deleteSessionsOf(tx, userId, { keepId: keepSessionId });
}

/** Makes a user staff, who may use the internal tools. @throws AppError NOT_FOUND. */
export async function addStaff(em: EntityManager, email: string): Promise<UserRow> {
  const user = await findUserByEmail(em, email);
  user.isStaff = true;
  user.updatedAt = new Date();
  await em.flush();
  return user;
}

/**
 * Takes a user's staff rights away and ends their sessions, on every process at once; repeating it is no error.
 * @returns their id, and how many sessions ended. @throws AppError NOT_FOUND.
 */
export async function removeStaff(tx: Transaction, email: string): Promise<{ userId: string; endedSessions: number }> {
  const userId = await unsetStaff(tx, normalizeEmail(email));
  if (userId === undefined) throw new AppError('NOT_FOUND', `There is no user ${normalizeEmail(email)}.`);
  return { userId, endedSessions: await deleteSessionsOf(tx, userId) };
}

/** Finds a person by e-mail. @throws AppError NOT_FOUND. */
export async function findUserByEmail(em: EntityManager, email: string): Promise<UserRow> {
  const user = await em.findOne(User, { email: normalizeEmail(email), deletedAt: null });
  if (user === null) throw new AppError('NOT_FOUND', `There is no user ${normalizeEmail(email)}.`);
  return user;
}
