import { randomBytes } from 'node:crypto';
import { suspended } from '#core/organizations/suspension.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { AppError } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Membership, Session, User } from '#db/entities/people.ts';
import type { Credentials } from '#db/organizations/people.ts';

/** A new session; only the browser holds `token`. */
interface OpenedSession {
  id: string;
  organizationId: string;
  token: string;
}

/** What a browser calls itself; null: not known. */
export interface Device {
  browser: string | null;
  os: string | null;
}

const tokenBytes = 32;
const unknownDevice: Device = { browser: null, os: null };

/**
 * Opens a session after a password was verified, in the first organization that the person joined (2.8). The browser's earlier
 * session, by its token, ends.
 * @throws AppError FORBIDDEN for a person without an organization, or with suspended ones alone; UNAUTHORIZED where the
 * password has changed since it was verified: that change ended all sessions.
 */
export async function openSession(
  em: EntityManager,
  credentials: Credentials,
  { replacedToken, device = unknownDevice }: { replacedToken?: string | undefined; device?: Device } = {},
): Promise<OpenedSession> {
  const { id: userId } = credentials;
  if (!(await em.getRepository(User).lockCredentials(credentials)))
    throw new AppError('UNAUTHORIZED', 'The password has just changed.');
  const workplace = await em.getRepository(Membership).findFirstWorkplace(userId);
  if (workplace === undefined) throw new AppError('FORBIDDEN', 'You are not a member of an organization.');
  if (workplace.isSuspended) throw suspended(workplace.suspensionReason);
  const sessions = em.getRepository(Session);
  if (replacedToken !== undefined) await sessions.nativeDelete({ tokenHash: hashToken(replacedToken) });
  const token = randomBytes(tokenBytes).toString('base64url');
  const { organizationId } = workplace;
  const { id } = sessions.add({ tokenHash: hashToken(token), userId, organizationId, ...device });
  await em.flush();
  return { id, organizationId, token };
}

/**
 * Moves a session to another organization of its user.
 * @throws AppError NOT_FOUND for an unknown organization, FORBIDDEN where the user is no member or it is suspended.
 */
export async function changeOrganization(
  em: EntityManager,
  session: { id: string; userId: string },
  organizationId: string,
): Promise<void> {
  const workplace = await em.getRepository(Membership).findWorkplace(organizationId, session.userId);
  if (workplace === undefined) throw new AppError('NOT_FOUND', 'This organization does not exist.');
  if (!workplace.isMember) throw new AppError('FORBIDDEN', 'You are not a member of this organization.');
  if (workplace.isSuspended) throw suspended(workplace.suspensionReason);
  await em.nativeUpdate(Session, { id: session.id }, { organization: organizationId });
}
