import type { Actor } from './actor.ts';
import { AppError } from '#core/errors/errors.ts';

/**
 * Lets through what belongs to the actor's organization (1.4).
 * @param noun what it is, for the message: `folder`.
 * @throws AppError NOT_FOUND where there is no such row, FORBIDDEN where it is another organization's or the platform's.
 */
export function requireOwn<T extends { organizationId: string | null }>(
  row: T | undefined,
  actor: Actor,
  noun: string,
): T {
  if (row === undefined) throw new AppError('NOT_FOUND', `This ${noun} does not exist.`);
  if (row.organizationId === null) throw new AppError('FORBIDDEN', `This ${noun} belongs to the platform.`);
  if (row.organizationId !== actor.organizationId) throw new AppError('FORBIDDEN');
  return row;
}
