import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, invalid } from '../core/errors.ts';
import { countCharacters } from '../core/text.ts';
import type { Sql } from '../db/database.ts';
import { User } from '../db/entities/people.ts';
import { setPasswordHash } from '../db/people.ts';
import { deleteSessionsOf } from '../db/sessions.ts';
import { hashPassword } from './passwords.ts';

/** A person's row. */
export type UserRow = InferEntity<typeof User>;

const shortestPassword = 8;
const longestPassword = 128;

/** The form in which e-mail addresses are kept and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Hashes a password that somebody is to have from now on.
 * @throws AppError VALIDATION_ERROR at `path` where it is too short or too long.
 */
export async function hashNewPassword(path: string, password: string): Promise<string> {
  const length = countCharacters(password);
  if (length < shortestPassword || length > longestPassword) {
    throw invalid(path, `must have ${shortestPassword} to ${longestPassword} characters`);
  }
  return hashPassword(password);
}

/**
 * Gives a user another password, as a hash, and ends their sessions on every process; `keepSessionId` names the one that goes
 * on (2.8). @returns how many sessions ended.
 */
export async function setPassword(
  tx: Sql,
  userId: string,
  passwordHash: string,
  { keepSessionId }: { keepSessionId?: string } = {},
): Promise<number> {
  await setPasswordHash(tx, userId, passwordHash);
  return deleteSessionsOf(tx, userId, { keepId: keepSessionId });
}

/** Makes a user one of the staff, who may use the internal tools. @throws AppError NOT_FOUND. */
export async function addStaff(em: EntityManager, email: string): Promise<UserRow> {
  const user = await findUserByEmail(em, email);
  user.isStaff = true;
  user.updatedAt = new Date();
  await em.flush();
  return user;
}

/** Finds a person by e-mail. @throws AppError NOT_FOUND. */
export async function findUserByEmail(em: EntityManager, email: string): Promise<UserRow> {
  const user = await em.findOne(User, { email: normalizeEmail(email), deletedAt: null });
  if (user === null) throw new AppError('NOT_FOUND', `There is no user ${normalizeEmail(email)}.`);
  return user;
}
