import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { hashToken } from '#core/organizations/api-key.ts';
import { AppError } from '#core/errors/errors.ts';
import type { Transaction } from '#db/connection/database.ts';
import { type Credentials, findFirstWorkplace, findWorkplace, lockCredentials } from '#db/organizations/people.ts';
import { deleteSessionByToken, insertSession, setSessionOrganization } from '#db/organizations/sessions.ts';

/** A new session; only the browser holds `token`. */
interface OpenedSession {
  id: string;
  organizationId: string;
  token: string;
}

const tokenBytes = 32;

/**
 * Opens a session after a password was verified, in the first organization that the person joined (2.8). The browser's earlier
 * session, by its token, ends.
 * @throws AppError FORBIDDEN for a person without an organization, or with suspended ones alone; UNAUTHORIZED where the
 * password has changed since it was verified: that change ended all sessions.
 */
export async function openSession(
  tx: Transaction,
  credentials: Credentials,
  { replacedToken }: { replacedToken?: string | undefined } = {},
): Promise<OpenedSession> {
  const { id: userId } = credentials;
  if (!(await lockCredentials(tx, credentials))) throw new AppError('UNAUTHORIZED', 'The password has just changed.');
  const workplace = await findFirstWorkplace(tx, userId);
  if (workplace === undefined) throw new AppError('FORBIDDEN', 'You are not a member of an organization.');
  if (workplace.isSuspended) throw new AppError('FORBIDDEN', 'This organization is suspended.');
  if (replacedToken !== undefined) await deleteSessionByToken(tx, hashToken(replacedToken));
  const token = randomBytes(tokenBytes).toString('base64url');
  const id = uuidv7();
  const { organizationId } = workplace;
  await insertSession(tx, { id, tokenHash: hashToken(token), userId, organizationId });
  return { id, organizationId, token };
}

/**
 * Moves a session to another organization of its user.
 * @throws AppError NOT_FOUND for an unknown organization, FORBIDDEN where the user is no member or it is suspended.
 */
export async function changeOrganization(
  tx: Transaction,
  session: { id: string; userId: string },
  organizationId: string,
): Promise<void> {
  const workplace = await findWorkplace(tx, organizationId, session.userId);
  if (workplace === undefined) throw new AppError('NOT_FOUND', 'This organization does not exist.');
  if (!workplace.isMember) throw new AppError('FORBIDDEN', 'You are not a member of this organization.');
  if (workplace.isSuspended) throw new AppError('FORBIDDEN', 'This organization is suspended.');
  await setSessionOrganization(tx, session.id, organizationId);
}
