import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor } from '../../core/actor.ts';
import { isApiKey } from '../../core/api-key.ts';
import { AppError } from '../../core/errors.ts';
import { type Action, isAllowed, type Resource } from '../../core/permissions.ts';
import type { KeyRow } from '../../db/keys.ts';
import type { KeyDirectory } from '../keys.ts';
import type { Limiter, RateStanding } from '../limiter.ts';

/** What a route demands of its caller: a permission, or nothing at all. */
export type Access = 'public' | { resource: Resource; action: Action | readonly Action[] };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Who calls; set on every route that is not public. */
    actor: Actor;
  }
}

/** Settings of `auth`. */
export interface AuthOptions {
  keys: KeyDirectory;
  limiter: Limiter;
  /** A name for a client's address that does not tell it. */
  nameClient(address: string): string;
}

/**
 * Asks in the order key, limit, plan, permission, before the body is read (1.4, 1.7). A route that names no access does not
 * start; what is public is not limited.
 */
export const auth = fp(
  async (app: FastifyInstance, options: AuthOptions) => {
    app.decorateRequest('actor');
    app.addHook('onRoute', (route) => {
      if (route.config?.access === undefined) throw new Error(`${route.url} does not say who may call it.`);
    });
    app.addHook('onRequest', async (request, reply) => {
      const { access } = request.routeOptions.config;
      if (access === 'public') return;
      const key = await identify(request, reply, options);
      // A path that does not exist answers 404 to anyone who may call.
      if (access === undefined) return;
      if (key === undefined) throw new AppError('UNAUTHORIZED');
      if (key.isSuspended) throw new AppError('FORBIDDEN', 'This organization is suspended.');
      if (key.plan === 'free') throw new AppError('FEATURE_NOT_AVAILABLE', 'The API needs a Premium subscription.');
      const { resource } = access;
      for (const action of [access.action].flat()) {
        if (isAllowed(key.permissions, resource, action)) continue;
        throw new AppError('ACTION_NOT_ALLOWED', `This key may not ${action} ${resource}.`, { resource, action });
      }
      const { organizationId, plan, userId, permissions } = key;
      request.actor = { organizationId, plan, userId, permissions };
    });
  },
  { name: 'auth', fastify: '5.x', dependencies: ['errors'] },
);

/** Finds the caller's key and counts the call: for the key, or where there is none, for the client's address. */
async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  { keys, limiter, nameClient }: AuthOptions,
): Promise<KeyRow | undefined> {
  const value = request.headers['x-api-key'];
  const isKey = typeof value === 'string' && isApiKey(value);
  let key = isKey ? await keys.find(value) : undefined;
  if (isKey && key !== undefined) {
    const standing = await limiter.takeKey(key.id);
    // The count brings news of the key: whatever was remembered, a revoked one is refused at once (2.6).
    if (standing.stamp !== undefined && standing.stamp !== key.stamp) key = await keys.findAgain(value);
    if (key !== undefined) {
      admit(standing, reply);
      return key;
    }
  }
  admit(await limiter.takeClient(nameClient(request.ip)), reply);
  return undefined;
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
