import fp from 'fastify-plugin';
import { permissionsOf } from '#core/organizations/permissions.ts';
import { AppError } from '#core/errors/errors.ts';
import { type AppTokenRow, findAppToken } from '#db/accounts/connected-apps.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { admit, admitClient, type Caller, type CallLimits } from './caller.ts';
import { mcpCall } from './mcp-call.ts';

interface AppTokenOptions extends CallLimits {
  em: EntityManager;
}

/**
 * Finds the caller of a call that a tool of MCP makes with an access token, and counts it for the person. No call over the network has one:
 * `/mcp` alone reads tokens.
 */
export const appToken = fp<AppTokenOptions>(
  async (app, options) => {
    const { em, limiter } = options;
    app.addHook('onRequest', async (request, reply) => {
      const tokenHash = mcpCall.getStore()?.tokenHash;
      if (tokenHash === undefined) return;
      const { access } = request.routeOptions.config;
      if (typeof access !== 'object' && access !== 'any permission')
        throw new AppError('FORBIDDEN', 'Apps may use the tools of MCP alone.');
      const found = await findAppToken(em, tokenHash);
      if (found === undefined) return admitClient(options, request, reply);
      request.caller = callerOf(found);
      admit(await limiter.takeUser(found.userId), reply);
    });
  },
  { name: 'app-token', fastify: '5.x', dependencies: ['key'] },
);

function callerOf({ name, organizationId, plan, userId, role, isSuspended, suspensionReason }: AppTokenRow): Caller {
  const actor = { organizationId, plan, userId, permissions: permissionsOf(role), client: name };
  return { actor, session: null, isSuspended, suspensionReason };
}
