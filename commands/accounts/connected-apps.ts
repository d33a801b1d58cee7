import { LockMode } from '@mikro-orm/postgresql';
import { appDays, mostApps } from '#core/accounts/connected-apps.ts';
import { AppError } from '#core/errors/errors.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { OrganizationSuspended } from '#core/organizations/suspension.ts';
import { boundToProvider } from '#commands/accounts/sessions.ts';
import { recordAction } from '#commands/organizations/audit.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { SessionRow } from '#db/accounts/sessions.ts';
import { extendRecord, hashRecordId } from '#db/accounts/oauth-records.ts';
import { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';
import { Membership, Session } from '#db/entities/accounts/people.ts';

interface AppDraft {
  clientId: string;
  name: string;
  redirectHost: string;
  organizationId: string;
}

/**
 * Lets an app act for a person in one of their organizations. @returns its id.
 * @throws AppError UNAUTHORIZED where the session has ended, NOT_FOUND for an organization that is not theirs, FORBIDDEN for a suspended
 * one and beyond a provider's session, FEATURE_NOT_AVAILABLE where its plan has no API.
 */
export async function connectApp(
  em: EntityManager,
  session: Pick<SessionRow, 'id' | 'userId' | 'organizationId' | 'isByProvider'>,
  { organizationId, clientId, name, redirectHost }: AppDraft,
  now: Date,
): Promise<string> {
  const { id: sessionId, userId, organizationId: present, isByProvider } = session;
  if (isByProvider && organizationId !== present) throw boundToProvider();
  const expiresAt = new Date(now.getTime() + appDays * 86_400_000);
  // A client that registered itself stays as long as the app.
  await extendRecord(em, 'Client', hashRecordId(clientId), expiresAt);
  // What ends sessions ends apps: one that is ended meanwhile lets none in.
  if ((await em.findOne(Session, { id: sessionId }, { lockMode: LockMode.PESSIMISTIC_WRITE })) === null)
    throw new AppError('UNAUTHORIZED', 'This session has ended.');
  const own = { user: userId, organization: organizationId };
  await em.findOne(Membership, own, { lockMode: LockMode.PESSIMISTIC_READ });
  const membership = await em.findOne(
    Membership,
    { user: userId, organization: { id: organizationId, deletedAt: null } },
    { populate: ['organization'], refresh: true },
  );
  if (membership === null) throw new AppError('NOT_FOUND', 'You are not a member of this organization.');
  const { plan, suspendedAt, suspensionReason } = membership.organization;
  if (suspendedAt !== null) throw new OrganizationSuspended(suspensionReason ?? null);
  if (plan === 'free') throw new AppError('FEATURE_NOT_AVAILABLE', 'Apps need a Premium subscription.');
  const apps = em.getRepository(ConnectedApp);
  for (const oldest of await apps.listOldest(userId, mostApps - 1)) await endApp(em, oldest, 'app.ended', now);
  const id = uuidv7();
  const times = { createdAt: now, lastUsedAt: now, expiresAt };
  apps.create({ id, user: userId, organization: organizationId, clientId, name, redirectHost, isByProvider, ...times });
  await em.flush();
  const details = { name, redirectHost };
  await recordAction(em, { action: 'app.connected', userId, organizationId, subjectId: id, details }, now);
  return id;
}

/** Ends an app of a person, with its tokens. @throws AppError NOT_FOUND */
export async function disconnectApp(
  em: EntityManager,
  { id, userId, organizationId }: { id: string; userId: string; organizationId?: string | undefined },
  now: Date,
): Promise<void> {
  const own = { id, user: userId, ...(organizationId !== undefined && { organization: organizationId }) };
  const app = await em.findOne(ConnectedApp, own);
  if (app === null) throw new AppError('NOT_FOUND', 'You have no such app.');
  await endApp(em, app, 'app.disconnected', now);
}

/** Ends an app whose token was used a second time, or that gave its token back. */
export async function revokeApp(em: EntityManager, id: string, now: Date): Promise<void> {
  const app = await em.findOne(ConnectedApp, { id });
  if (app !== null) await endApp(em, app, 'app.ended', now);
}

async function endApp(
  em: EntityManager,
  { id, name, user, organization }: ConnectedApp,
  action: 'app.disconnected' | 'app.ended',
  now: Date,
): Promise<void> {
  // The library revokes each kind of token, at once.
  if ((await em.nativeDelete(ConnectedApp, { id })) === 0) return;
  const line = { userId: user.id, organizationId: organization.id, subjectId: id, details: { name } };
  await recordAction(em, { action, ...line }, now);
}
