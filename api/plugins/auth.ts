import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor } from '#core/organizations/actor.ts';
import { spellAddress } from '#core/http/address-ranges.ts';
import { hasChecksum, hashToken, isApiKey } from '#core/organizations/api-key.ts';
import { AppError } from '#core/errors/errors.ts';
import { suspended } from '#core/organizations/suspension.ts';
import { type Action, isAllowed, permissionsOf, readOnly, type Resource } from '#core/organizations/permissions.ts';
import { boundToProvider } from '#commands/accounts/sessions.ts';
import { recordRead } from '#commands/organizations/audit.ts';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Session, User } from '#db/entities/people.ts';
import { findMethods } from '#db/accounts/second-factors.ts';
import { findSession, type SessionRow } from '#db/accounts/sessions.ts';
import { createSessionCookie } from '#api/auth/cookie.ts';
import { createOriginCheck } from '#api/auth/origin.ts';
import type { KeyDirectory, KnownKey } from '#api/auth/key-directory.ts';
import type { Limiter, RateStanding } from '#api/limits/rate-limiter.ts';
import type { Shares } from '#api/shares.ts';

/**
 * Who may call a route. Each route says it in its `config: { access }` in `routes.ts`:
 * - a permission: keys and sessions that have it
 * - `any permission`: every key, and signed-in members
 * - `session`: signed-in members of an organization that is not suspended
 * - `any session`: signed-in members, suspended or not
 * - `staff`: signed-in staff, never a key
 * - `sign-in`: everyone except pages of other sites
 * - `sign-in from another site`: everyone; an identity provider sends the browser here
 * - `public`: everyone, without rate limit
 */
type Access =
  | { resource: Resource; action: Action | readonly Action[] }
  | 'any permission'
  | 'session'
  | 'any session'
  | 'staff'
  | 'sign-in'
  | 'sign-in from another site'
  | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Whether staff may call it while they look at an organization, although it changes something. */
    mayWhileViewing?: boolean;
    /**
     * Whether the route keeps to the reach of a key that is restricted to folders or domains (`core/organizations/reach.ts`). Other
     * routes refuse such keys, so that a new route shows them nothing.
     */
    keepsReach?: true;
    /**
     * Of whom a call by session needs a confirmation in the last 15 minutes (2.22): of people with a second factor, or of everyone.
     * Calls by key need none.
     */
    confirmation?: 'people with a second factor' | 'everyone';
    /** Whether it changes the person, beyond one organization: a session by an organization's provider may not. */
    isPersonal?: true;
  }
  interface FastifyRequest {
    /** The caller; set on every route that requires a permission or a session. */
    actor: Actor;
    /** Null for a call with a key. */
    session: SessionRow | null;
  }
}

interface AuthOptions {
  db: Sql;
  keys: KeyDirectory;
  limiter: Limiter;
  /** Hashes a client's address, so that the database does not hold it. */
  nameClient(address: string): string;
  baseUrl: string;
  shares: Pick<Shares, 'notePresence'>;
  clock(): Date;
  needsStaffFactor: boolean;
}

const safeMethods = new Set(['GET', 'HEAD']);
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// As much as a search may have.
const longestSearch = 500;

/**
 * Checks key or session, then rate limit, plan and permission, before the body is read (1.4, 1.7). A key wins over a session.
 * A route without `access` does not start.
 */
export const auth = fp(
  async (
    app: FastifyInstance,
    { db, keys, limiter, nameClient, baseUrl, shares, clock, needsStaffFactor }: AuthOptions,
  ) => {
    const cookie = createSessionCookie(baseUrl);
    const origin = createOriginCheck(baseUrl);
    app.decorateRequest('actor');
    app.decorateRequest('session', null);
    app.addHook('onRoute', (route) => {
      if (route.config?.access === undefined) throw new Error(`${route.url} does not say who may call it.`);
    });

    app.addHook('onRequest', async (request, reply) => {
      const { access, confirmation, isPersonal = false, keepsReach = false } = request.routeOptions.config;
      if (access === 'public') return;
      const key = request.headers['x-api-key'];
      const isSignIn = access === 'sign-in' || access === 'sign-in from another site';
      if (isSignIn || (key !== undefined && isAuthPath(request))) {
        await admitClient(request, reply);
        if (key !== undefined) throw new AppError('FORBIDDEN', 'API keys cannot call paths under /auth/.');
        if (access !== 'sign-in from another site') origin.requireIfSent(request.headers);
        return;
      }
      if (access === 'staff' && key !== undefined) {
        await admitClient(request, reply);
        throw new AppError('UNAUTHORIZED', 'API keys cannot call the internal tools: sign in.');
      }
      const caller = key === undefined ? await bySession(request, reply) : await byKey(key, request, reply);
      // An unknown path: the 404 handler answers.
      if (access === undefined) return;
      if (caller === undefined) throw unauthorized(access, request.headers);
      if (caller instanceof AppError) throw caller;
      const { actor, session, isSuspended, suspensionReason } = caller;
      if (session !== null && !safeMethods.has(request.method)) origin.require(request.headers);
      if (access === 'staff') {
        requireStaff(session);
        if (needsStaffFactor) await requireFactor(request.em, session!);
      } else if (session?.isViewing === true && !safeMethods.has(request.method)) requireOutsideViews(request);
      else if (isSuspended && access !== 'any session') throw suspended(suspensionReason);
      if (typeof access === 'object') requirePermission(caller, access);
      else if (access === 'any permission') requirePlan(caller);
      if (actor.reach !== undefined && !keepsReach) throw new AppError('FORBIDDEN', restricted);
      if (session?.isByProvider === true && (isPersonal || confirmation === 'everyone')) throw boundToProvider();
      if (session !== null && confirmation !== undefined) await requireConfirmed(request.em, session, confirmation);
      if (session?.isStale === true) {
        await request.em.getRepository(Session).touch(session.id, new Date());
        void reply.header('set-cookie', cookie.set(cookie.read(request.headers.cookie)!));
      }
      if (session?.isViewing === true && access !== 'staff') await recordView(request, actor);
      shares.notePresence(actor.organizationId);
      request.actor = actor;
      request.session = session;
    });

    /**
     * Finds the caller by key and counts the call for the key; without a live key, for the client's address.
     * @returns an error that says why the key may not be used, or not from here; undefined without a live key.
     */
    async function byKey(
      value: string | string[],
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<Caller | AppError | undefined> {
      let refusal: AppError | undefined;
      if (typeof value === 'string' && isApiKey(value)) {
        let key = await keys.find(value);
        if (key !== undefined && !key.isAllowedFrom(request.ip)) {
          // Counts for the client: a stolen key must not use up the limit of its owner. The key in memory may be outdated.
          await admitClient(request, reply);
          key = await keys.findAgain(value);
          if (key === undefined) return undefined;
          if (!key.isAllowedFrom(request.ip)) return refusedFrom(request.ip);
        }
        if (key !== undefined) {
          const standing = await limiter.takeKey(key.id);
          // The counting statement returns the key's stamp: a revoked or changed key is noticed at once (2.6, ADR 6).
          if (standing.stamp !== undefined && standing.stamp !== key.stamp) key = await keys.findAgain(value);
          // No process learns of an end: each compares it with its clock.
          const isOver = key !== undefined && key.endsAt !== null && key.endsAt <= clock();
          if (key !== undefined && !isOver) {
            admit(standing, reply);
            if (!key.isAllowedFrom(request.ip)) return refusedFrom(request.ip);
            keys.noteUse(key.id, request.ip);
            return callerOf(key);
          }
          if (isOver) refusal = new AppError('UNAUTHORIZED', 'This API key has expired.');
        } else if (!hasChecksum(value)) refusal = new AppError('UNAUTHORIZED', mistyped);
      }
      await admitClient(request, reply);
      return refusal;
    }

    /** Records what staff read of the organization that they look at, before it is read. */
    async function recordView(request: FastifyRequest, { userId, organizationId }: Actor): Promise<void> {
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
        subjectId: typeof id === 'string' && uuid.test(id) ? id : null,
        search: typeof search === 'string' && search !== '' ? search.slice(0, longestSearch) : undefined,
      };
      await recordRead(request.em, read, { now: clock() });
    }

    /** Finds the caller by session and counts the call for the user; without a live session, for the client's address. */
    async function bySession(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined> {
      const token = cookie.read(request.headers.cookie);
      const session = token === undefined ? undefined : await findSession(db, hashToken(token));
      if (session === undefined) {
        await admitClient(request, reply);
        return undefined;
      }
      admit(await limiter.takeUser(session.userId), reply);
      const { organizationId, plan, userId, role, isSuspended, suspensionReason } = session;
      const permissions = session.isViewing ? readOnly(permissionsOf('owner')) : permissionsOf(role);
      const actor = { organizationId, plan, userId, permissions, ...(session.isViewing && { isStaff: true }) };
      return { actor, session, isSuspended, suspensionReason };
    }

    async function admitClient(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      admit(await limiter.takeClient(nameClient(request.ip)), reply);
    }
  },
  { name: 'auth', fastify: '5.x', dependencies: ['errors'] },
);

interface Caller extends Pick<KnownKey, 'isSuspended' | 'suspensionReason'> {
  actor: Actor;
  session: SessionRow | null;
}

const restricted = 'This API key is restricted to folders or domains, and this call does not keep to them.';
// Keys of earlier versions have no checksum: they are found before it is looked at.
const mistyped =
  'There is no such API key. Its last six characters are not its checksum: it may be mistyped or cut off.';

function refusedFrom(address: string): AppError {
  const message = `This API key may not be used from ${spellAddress(address)}: see its allowedAddresses.`;
  return new AppError('FORBIDDEN', message);
}

function callerOf({ id: keyId, organizationId, plan, userId, permissions, reach, ...standing }: KnownKey): Caller {
  const { isSuspended, suspensionReason } = standing;
  const actor = { organizationId, plan, userId, permissions, keyId, reach };
  return { actor, session: null, isSuspended, suspensionReason };
}

/** Whether keys cannot call a path; unknown paths count too. */
function isAuthPath({ routeOptions, url }: FastifyRequest): boolean {
  return (routeOptions.url ?? url).startsWith('/auth/');
}

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

function requireStaff(session: SessionRow | null): void {
  if (session?.isStaff !== true) throw new AppError('FORBIDDEN', 'The internal tools are for the staff alone.');
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
  const credentials = await em.getRepository(User).findCredentialsOf(userId);
  throw credentials?.passwordHash
    ? new AppError('CONFIRMATION_REQUIRED', undefined, { methods: ['password'] })
    : new AppError('CONFIRMATION_REQUIRED', 'Confirm that it is you first: sign in again.', { methods: [] });
}

function requirePlan({ actor, session }: Caller): void {
  if (actor.plan === 'free' && session === null)
    throw new AppError('FEATURE_NOT_AVAILABLE', 'The API needs a Premium subscription.');
}

function requirePermission(caller: Caller, { resource, action }: Access & object): void {
  const { actor, session } = caller;
  requirePlan(caller);
  if (actor.plan === 'free' && resource === 'webhooks')
    throw new AppError('FEATURE_NOT_AVAILABLE', 'Webhooks need a Premium subscription.');
  for (const needed of [action].flat()) {
    if (isAllowed(actor.permissions, resource, needed)) continue;
    const message = `${session === null ? 'This key' : 'A member'} may not ${needed} ${resource}.`;
    throw new AppError('ACTION_NOT_ALLOWED', message, { resource, action: needed });
  }
}

function admit({ ok, limit, remaining, resetSeconds }: RateStanding, reply: FastifyReply): void {
  void reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetSeconds,
  });
  if (ok) return;
  void reply.header('retry-after', resetSeconds);
  throw new AppError('RATE_LIMIT_EXCEEDED', `Too many requests; try again in ${resetSeconds} s.`);
}
