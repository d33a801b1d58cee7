import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor } from '../../core/actor.ts';
import { isApiKey } from '../../core/api-key.ts';
import { AppError } from '../../core/errors.ts';
import { type Action, isAllowed, type Resource } from '../../core/permissions.ts';
import type { KeyDirectory } from '../keys.ts';

/** What a route demands of its caller: a permission, or nothing at all. */
export type Access = 'public' | { resource: Resource; action: Action };

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
}

/** Asks in the order key, plan, permission, before the body is read (1.4). A route that names no access does not start. */
export const auth = fp(
  async (app: FastifyInstance, { keys }: AuthOptions) => {
    app.decorateRequest('actor');
    app.addHook('onRoute', (route) => {
      if (route.config?.access === undefined) throw new Error(`${route.url} does not say who may call it.`);
    });
    app.addHook('onRequest', async (request) => {
      const { access } = request.routeOptions.config;
      // Paths that do not exist have no access and answer 404 to anyone.
      if (access === undefined || access === 'public') return;
      const actor = await authenticate(request, keys);
      if (actor.plan === 'free') throw new AppError('FEATURE_NOT_AVAILABLE', 'The API needs a Premium subscription.');
      const { resource, action } = access;
      if (!isAllowed(actor.permissions, resource, action)) {
        throw new AppError('ACTION_NOT_ALLOWED', `This key may not ${action} ${resource}.`, { resource, action });
      }
      request.actor = actor;
    });
  },
  { name: 'auth', fastify: '5.x', dependencies: ['errors'] },
);

async function authenticate(request: FastifyRequest, keys: KeyDirectory): Promise<Actor> {
  const value = request.headers['x-api-key'];
  if (typeof value !== 'string' || !isApiKey(value)) throw new AppError('UNAUTHORIZED');
  const key = await keys.find(value);
  if (key === undefined) throw new AppError('UNAUTHORIZED');
  if (key.isSuspended) throw new AppError('FORBIDDEN', 'This organization is suspended.');
  const { organizationId, plan, userId, permissions } = key;
  return { organizationId, plan, userId, permissions };
}
