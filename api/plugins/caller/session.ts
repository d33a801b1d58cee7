import fp from 'fastify-plugin';
import { hashToken } from '#core/organizations/api-key.ts';
import { permissionsOf, readOnly } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';
import { Session } from '#db/entities/accounts/people.ts';
import { findSession, type SessionRow } from '#db/accounts/sessions.ts';
import { createSessionCookie } from '#api/auth/cookie.ts';
import { admit, admitClient, type Caller, type CallLimits, isForSignIn } from './caller.ts';
import { isSafe } from './access.ts';
import { mcpCall } from './mcp-call.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '#core/errors/errors.ts';

interface SessionOptions extends CallLimits {
  db: Sql;
  baseUrl: string;
}

/**
 * Finds the caller of a call without key by session and counts the call for the user; without a live session, for the client's
 * address. Pages of other sites may change nothing.
 */
export const session = fp<SessionOptions>(
  async (app, options) => {
    const { db, baseUrl, limiter } = options;
    const cookie = createSessionCookie(baseUrl);
    const origin = createOriginCheck(baseUrl);
    app.addHook('onRequest', async (request, reply) => {
      const { access } = request.routeOptions.config;
      if (access === 'public' || request.headers['x-api-key'] !== undefined) return;
      if (mcpCall.getStore()?.tokenHash !== undefined) return;
      if (isForSignIn(access)) {
        await admitClient(options, request, reply);
        if (access === 'sign-in') origin.requireIfSent(request.headers);
        return;
      }
      const token = cookie.read(request.headers.cookie);
      const found = token === undefined ? undefined : await findSession(db, hashToken(token));
      if (token === undefined || found === undefined) return admitClient(options, request, reply);
      // Before the limit: a call that it refuses is one of the organization too.
      request.caller = callerOf(found);
      admit(await limiter.takeUser(found.userId), reply);
      // An unknown path: the 404 handler answers.
      if (access === undefined) return;
      if (!isSafe(request)) origin.require(request.headers);
      if (!found.isStale) return;
      await request.em.getRepository(Session).touch(found.id, new Date());
      void reply.header('set-cookie', cookie.set(token));
    });
  },
  { name: 'session', fastify: '5.x', dependencies: ['key'] },
);

function callerOf(session: SessionRow): Caller {
  const { organizationId, plan, userId, role, isViewing, isSuspended, suspensionReason } = session;
  const permissions = isViewing ? readOnly(permissionsOf('owner')) : permissionsOf(role);
  const actor = { organizationId, plan, userId, permissions, ...(isViewing && { isStaff: true }) };
  return { actor, session, isSuspended, suspensionReason };
}

/** Refuses cross-site calls, which a browser would send with the user's cookie. */
interface OriginCheck {
  /** Requires the API's own `Origin`. @throws AppError FORBIDDEN. */
  require(headers: IncomingHttpHeaders): void;
  /** Requires that `Origin` and `Sec-Fetch-Site`, where they are sent, are the API's own. @throws AppError FORBIDDEN. */
  requireIfSent(headers: IncomingHttpHeaders): void;
}

function createOriginCheck(baseUrl: string): OriginCheck {
  const { origin: own, protocol } = new URL(baseUrl);
  // A page that was loaded under another name of the API, such as its IP address, counts as own: no page chooses its Host.
  const isOwn = ({ origin, host }: IncomingHttpHeaders): boolean =>
    origin === own || (host !== undefined && origin === `${protocol}//${host}`);
  const refuse = (): never => {
    throw new AppError('FORBIDDEN', `This call must come from a page of ${own}: its Origin is missing or another.`);
  };
  return {
    require(headers) {
      if (!isOwn(headers)) refuse();
    },
    requireIfSent(headers) {
      const { origin, 'sec-fetch-site': site } = headers;
      if ((origin !== undefined && !isOwn(headers)) || (site !== undefined && site !== 'same-origin')) refuse();
    },
  };
}
