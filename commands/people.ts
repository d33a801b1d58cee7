import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, invalid } from '../core/errors.ts';
import { countCharacters } from '../core/text.ts';
import { User } from '../db/entities/people.ts';
import { channels } from '../db/notify.ts';
import { hashPassword } from './passwords.ts';

/** A person's row. */
export type UserRow = InferEntity<typeof User>;

const shortestPassword = 8;
const longestPassword = 128;

/** The form in which e-mail addresses are kept and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Refuses a password that is too short or too long. @throws AppError VALIDATION_ERROR at `path`. */
export function checkPassword(path: string, password: string): void {
  const length = countCharacters(password);
  if (length >= shortestPassword && length <= longestPassword) return;
  throw invalid(path, `must have ${shortestPassword} to ${longestPassword} characters`);
}

/**
 * Gives a user another password and ends their sessions, on every process at once; `keepSessionId` names the one that goes
 * on (2.8). @returns how many sessions ended.
 */
export async function setPassword(
  em: EntityManager,
  userId: string,
  password: string,
  { keepSessionId = null }: { keepSessionId?: string | null } = {},
): Promise<number> {
  checkPassword('password', password);
  const passwordHash = await hashPassword(password);
  return em.transactional(async (tx) => {
    await tx.execute('update users set password_hash = ?, updated_at = now() where id = ?', [passwordHash, userId]);
    const ended = await tx.execute(
      `with ended as (
         delete from sessions where user_id = ? and id is distinct from ?::uuid returning token_hash
       )
       select pg_notify(?, json_build_object('keyHash', encode(token_hash, 'hex'))::text) from ended`,
      [userId, keepSessionId, channels.keys],
    );
    return ended.length;
  });
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
