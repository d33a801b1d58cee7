import { randomBytes } from 'node:crypto';
import { OrganizationSuspended } from '#core/organizations/suspension.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { AppError } from '#core/errors/errors.ts';
import { notifyPerson } from '#commands/accounts/notices.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { recognizeDevice } from '#db/accounts/devices.ts';
import { endOf } from '#db/accounts/sessions.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Membership, Session, User } from '#db/entities/accounts/people.ts';
import type { Credentials } from '#db/organizations/people.ts';

/** What a browser calls itself; null: not known. */
export interface Device {
  browser: string | null;
  os: string | null;
  /** The token by which the browser is known; undefined: it has none. */
  token?: string | undefined;
}

const tokenBytes = 32;
const unknownDevice: Device = { browser: null, os: null };

/**
 * Opens a session after a password was verified, in the first organization that the person joined. The browser's earlier
 * session, by its token, ends. The person gets a mail where the browser is new to an account that knows others. Only the browser holds `token`.
 * @throws AppError FORBIDDEN for a person without an organization, and for others than staff with suspended ones alone; UNAUTHORIZED where the
 * password has changed since it was verified: that change ended all sessions.
 */
export async function openSession(
  em: EntityManager,
  credentials: Credentials,
  {
    replacedToken,
    device = unknownDevice,
    secondFactorAt = null,
    byProviderOf,
  }: {
    replacedToken?: string | undefined;
    device?: Device;
    /** When a second factor was accepted; null: none was. */
    secondFactorAt?: Date | null;
    /** The organization whose identity provider named the person: the session counts there alone. */
    byProviderOf?: string | undefined;
  } = {},
): Promise<{ id: string; organizationId: string; token: string }> {
  const { id: userId } = credentials;
  if (!(await em.getRepository(User).lockCredentials(credentials)))
    throw new AppError('UNAUTHORIZED', 'The password has just changed.');
  const workplace = await findWorkplace(em, userId, byProviderOf);
  if (workplace === undefined)
    throw new AppError('FORBIDDEN', 'You are not a member of an organization.', { reason: 'no-organization' });
  // Staff sign in all the same: their tools are of no organization.
  const isStaff = byProviderOf === undefined && (await em.count(User, { id: userId, isStaff: true })) > 0;
  if (workplace.isSuspended && !isStaff) throw new OrganizationSuspended(workplace.suspensionReason);
  if (replacedToken !== undefined) await em.nativeDelete(Session, { tokenHash: hashToken(replacedToken) });
  const token = randomBytes(tokenBytes).toString('base64url');
  const { organizationId } = workplace;
  const { browser, os } = device;
  const now = new Date();
  const id = uuidv7();
  em.create(Session, {
    id,
    tokenHash: hashToken(token),
    user: userId,
    organization: organizationId,
    browser,
    os,
    secondFactorAt,
    isByProvider: byProviderOf !== undefined,
    expiresAt: endOf(now),
  });
  await em.flush();
  const tokenHash = device.token === undefined ? undefined : hashToken(device.token);
  if (await recognizeDevice(em, { userId, tokenHash }, now)) {
    await notifyPerson(em, { userId, kind: 'newDevice', details: { browser, os } }, now);
  }
  return { id, organizationId, token };
}

/** Finds the organization in which a session begins: the first that the person joined, or that of the provider that named them. */
async function findWorkplace(em: EntityManager, userId: string, byProviderOf: string | undefined) {
  const members = em.getRepository(Membership);
  if (byProviderOf === undefined) return members.findFirstWorkplace(userId);
  const workplace = await members.findWorkplace(byProviderOf, userId);
  return workplace?.isMember === true ? workplace : undefined;
}

/**
 * Moves a session to another organization of its user.
 * @throws AppError NOT_FOUND for an unknown organization, FORBIDDEN where the user is no member, it is suspended, or the session was opened
 * by the provider of the organization in which it works.
 */
export async function changeOrganization(
  em: EntityManager,
  session: { id: string; userId: string; organizationId: string; isByProvider?: boolean },
  organizationId: string,
): Promise<void> {
  if (session.isByProvider === true && organizationId !== session.organizationId) throw boundToProvider();
  const workplace = await em.getRepository(Membership).findWorkplace(organizationId, session.userId);
  if (workplace === undefined) throw new AppError('NOT_FOUND', 'This organization does not exist.');
  if (!workplace.isMember) throw new AppError('FORBIDDEN', 'You are not a member of this organization.');
  if (workplace.isSuspended) throw new OrganizationSuspended(workplace.suspensionReason);
  await em.nativeUpdate(Session, { id: session.id }, { organization: organizationId });
}

/** The refusal of what a session by an organization's provider may not do: it speaks for that organization alone, not for the person. */
export function boundToProvider(): AppError {
  return new AppError(
    'FORBIDDEN',
    'The identity provider of this organization signed you in, and it counts here alone: sign in by your password or a passkey for that.',
  );
}
