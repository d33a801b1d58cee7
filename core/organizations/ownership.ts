import type { Actor } from '#core/audit/actor.ts';
import { AppError, refusedReference } from '#core/errors/errors.ts';

/**
 * Returns a row of the actor's organization, and refuses others (1.4). Every read of one thing and every change passes here;
 * lists and bulk deletes compare the organization in their statement. Staff (`requireStaff` of `api/plugins/caller/access.ts`) read
 * everything, each read in the audit log: `api/staff/context.ts`.
 * @param noun names the thing in the message: `folder`.
 * @param path of the field of the body that names the thing; undefined: the path of the URL does.
 * @throws AppError NOT_FOUND where there is no such row, FORBIDDEN where it is another organization's or the platform's.
 */
export function requireOwn<T extends Owned>(row: T | null | undefined, actor: Actor, noun: string, path?: string): T {
  const refused = (code: 'NOT_FOUND' | 'FORBIDDEN', message?: string): AppError =>
    path === undefined ? new AppError(code, message) : refusedReference(code, path, message);
  if (row === undefined || row === null) throw refused('NOT_FOUND', `This ${noun} does not exist.`);
  const owner = 'organization' in row ? (row.organization?.id ?? null) : row.organizationId;
  if (owner === null) throw new AppError('FORBIDDEN', `This ${noun} belongs to the platform.`);
  if (owner !== actor.organizationId) throw refused('FORBIDDEN');
  return row;
}

/** An entity, or a row, with the organization that it belongs to; null: the platform's. */
type Owned = { organization: { id: string } | null | undefined } | { organizationId: string | null };
