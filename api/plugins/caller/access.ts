import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor } from '#core/audit/actor.ts';
import { AppError } from '#core/errors/errors.ts';
import { OrganizationSuspended } from '#core/organizations/suspension.ts';
import { isAllowed } from '#core/organizations/permissions.ts';
import { boundToProvider } from '#commands/accounts/sessions.ts';
import { recordRead } from '#commands/organizations/audit.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { User } from '#db/entities/accounts/people.ts';
import { findMethods } from '#db/accounts/second-factors.ts';
import type { SessionRow } from '#db/accounts/sessions.ts';
import type { Shares } from '#api/shares.ts';
import { type Access, type Caller, isForSignIn, isOfPeople } from './caller.ts';
import { mcpCall } from './mcp-call.ts';
import { isUuid } from '#core/lib/uuid.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set on every route that requires a permission or a session. */
    actor: Actor;
    /** Null for a call with a key. */
    session: SessionRow | null;
  }
}

interface AccessOptions {
  shares: Pick<Shares, 'notePresence'>;
  clock(): Date;
  needsStaffFactor: boolean;
}

const safeMethods = new Set(['GET', 'HEAD']);
/** Whether a call changes nothing. */
export const isSafe = ({ method }: Pick<FastifyRequest, 'method'>): boolean => safeMethods.has(method);

// As much as a search may have.
const longestSearch = 500;

/**
 * Checks whether the caller may call the route, before the body is read (1.4, 1.7). A route without `access` does not start.
 */
export const access = fp<AccessOptions>(
  async (app, { shares, clock, needsStaffFactor }) => {
    app.decorateRequest('actor');
    app.decorateRequest('session', null);
    app.addHook('onRoute', (route) => {
      if (route.config?.access === undefined) throw new Error(`${route.url} does not say who may call it.`);
    });

    app.addHook('onRequest', async (request) => {
      const { access, keepsReach = false } = request.routeOptions.config;
      // An unknown path has no access: the 404 handler answers.
      if (access === undefined || access === 'public' || isForSignIn(access)) return;
      const { caller } = request;
      if (caller === undefined) throw unauthorized(access, request.headers);
      if (caller instanceof AppError) throw caller;
      const { actor, session } = caller;
      if (access === 'staff') await requireStaff(request.em, session, needsStaffFactor);
      else requireInForce(caller, request, access);
      if (typeof access === 'object') requirePermission(caller, access);
      else if (access === 'any permission') requirePlan(caller);
      if (session === null && isOfPeople(access)) throw new AppError('FORBIDDEN', refusalOfKeys(access));
      if (actor.reach !== undefined && !keepsReach) throw new AppError('FORBIDDEN', restricted);
      if (session !== null) await requireConfirmation(request, session);
      if (session?.isViewing === true && access !== 'staff') await recordView(request, actor, clock());
      shares.notePresence(actor.organizationId);
      // An app that the person has let in has the name that they saw then.
      const client = actor.client ?? mcpCall.getStore()?.client;
      request.actor = client === undefined ? actor : { ...actor, client };
      request.session = session;
    });
  },
  { name: 'access', fastify: '5.x', dependencies: ['key', 'app-token', 'session'] },
);

const refusalOfKeys = (access: Access): string =>
  typeof access === 'object'
    ? 'API keys cannot call this: an owner signs in.'
    : 'API keys cannot call this: it needs a person who is signed in.';

const restricted = 'This API key is restricted to folders or domains, and this call does not keep to them.';

function unauthorized(access: Access, { authorization, 'x-api-key': key }: FastifyRequest['headers']): AppError {
  if (key === undefined && authorization !== undefined && access !== 'any session') {
    return new AppError(
      'UNAUTHORIZED',
      'There is no API key: the header Authorization is not read; send the key in x-api-key.',
    );
  }
  return typeof access === 'object' || access === 'any permission'
    ? new AppError('UNAUTHORIZED')
    : new AppError('UNAUTHORIZED', 'You are not signed in.');
}

/** @throws AppError FORBIDDEN; as `requireFactor` where staff need a second factor. */
async function requireStaff(em: EntityManager, session: SessionRow | null, needsFactor: boolean): Promise<void> {
  if (session?.isStaff !== true) throw new AppError('FORBIDDEN', 'The internal tools are for the staff alone.');
  if (needsFactor) await requireFactor(em, session);
}

/** @throws AppError FORBIDDEN for a change while staff look at an organization, and where the caller's is suspended. */
function requireInForce(
  { session, isSuspended, suspensionReason }: Caller,
  request: FastifyRequest,
  access: Access,
): void {
  if (session?.isViewing === true && !isSafe(request)) requireOutsideViews(request);
  else if (isSuspended && access !== 'any session') throw new OrganizationSuspended(suspensionReason);
}

/** @throws AppError FORBIDDEN where a provider opened the session; as `requireConfirmed`. */
async function requireConfirmation({ em, routeOptions }: FastifyRequest, session: SessionRow): Promise<void> {
  const { confirmation, isPersonal = false } = routeOptions.config;
  if (session.isByProvider && (isPersonal || confirmation === 'everyone')) throw boundToProvider();
  if (confirmation !== undefined) await requireConfirmed(em, session, confirmation);
}

/** @throws AppError FORBIDDEN for a change while staff look at an organization. */
function requireOutsideViews({ routeOptions: { config } }: FastifyRequest): void {
  if (config.mayWhileViewing === true) return;
  throw new AppError('FORBIDDEN', 'You look at this organization as staff, read-only: nothing can be changed.');
}

/** @throws AppError SECOND_FACTOR_MISSING, or CONFIRMATION_REQUIRED where the person has one that the session has not seen. */
async function requireFactor(em: EntityManager, { hasSecondFactor, userId }: SessionRow): Promise<void> {
  if (hasSecondFactor) return;
  const methods = await findMethods(em, userId);
  throw methods.length === 0
    ? new AppError('SECOND_FACTOR_MISSING')
    : new AppError('CONFIRMATION_REQUIRED', undefined, { methods });
}

/** Asks a session for a confirmation in the last 15 minutes (2.22). @throws AppError CONFIRMATION_REQUIRED. */
export async function requireConfirmed(
  em: EntityManager,
  { hasFreshFactor, isConfirmed, userId }: SessionRow,
  of: 'people with a second factor' | 'everyone',
): Promise<void> {
  if (hasFreshFactor) return;
  // For people with a second factor it alone confirms: a provider that signed them in has not seen it.
  const methods = await findMethods(em, userId);
  if (methods.length > 0) throw new AppError('CONFIRMATION_REQUIRED', undefined, { methods });
  if (isConfirmed || of !== 'everyone') return;
  const credentials = await em.getRepository(User).findCredentials({ id: userId });
  throw credentials?.passwordHash
    ? new AppError('CONFIRMATION_REQUIRED', undefined, { methods: ['password'] })
    : new AppError('CONFIRMATION_REQUIRED', 'Confirm that it is you first: sign in again.', { methods: [] });
}

function requirePlan({ actor, session }: Caller): void {
  if (actor.plan === 'free' && session === null)
    throw new AppError('FEATURE_NOT_AVAILABLE', 'The API needs a Premium subscription.');
}

function requirePermission(caller: Caller, { resource, action, isEither }: Access & object): void {
  const { actor } = caller;
  requirePlan(caller);
  if (actor.plan === 'free' && resource === 'webhooks')
    throw new AppError('FEATURE_NOT_AVAILABLE', 'Webhooks need a Premium subscription.');
  const needed = [action].flat();
  const missing = needed.filter((one) => !isAllowed(actor.permissions, resource, one));
  const [first] = missing;
  if (first === undefined || (isEither === true && missing.length < needed.length)) return;
  const who = actor.keyId === undefined ? 'A member' : 'This key';
  const wanted = isEither === true ? missing.join(' or ') : first;
  const message = `${who} may not do this: it takes the permission to ${wanted} ${resource}.`;
  throw new AppError('ACTION_NOT_ALLOWED', message, { resource, action: first });
}

/** Records what staff read of the organization that they look at, before it is read. */
async function recordView(request: FastifyRequest, { userId, organizationId }: Actor, now: Date): Promise<void> {
  const { schema, url = '' } = request.routeOptions;
  // The caller's own session.
  if (url.startsWith('/auth/')) return;
  const { id } = (request.params ?? {}) as { id?: unknown };
  const { search } = (request.query ?? {}) as { search?: unknown };
  const read = {
    userId,
    action: `view.${schema?.operationId ?? url}`,
    organizationIds: [organizationId],
    isAcross: false,
    subjectId: typeof id === 'string' && isUuid(id) ? id : null,
    search: typeof search === 'string' && search !== '' ? search.slice(0, longestSearch) : undefined,
  };
  await recordRead(request.em, read, now);
}
