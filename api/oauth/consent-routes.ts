import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { connectApp } from '#commands/accounts/connected-apps.ts';
import { mcpResource, mcpScope, redirectHostOf } from '#core/accounts/connected-apps.ts';
import { AppError } from '#core/errors/errors.ts';
import { idSchema } from '#core/links/draft.ts';
import { toClientName } from '#core/audit/client-name.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { issuerOf, paths } from './metadata.ts';
import type { AuthorizationServer } from './provider.ts';

interface ConsentOptions extends Pick<ApiDependencies, 'baseUrl' | 'clock'> {
  load(): Promise<AuthorizationServer>;
}

const paramsSchema = z.object({ uid: z.string().max(64) });
const appRequestSchema = z.object({ name: z.string(), clientHost: z.string().nullable(), redirectHost: z.string() });
/** What an app asks of the person, as the console shows it. */
export type AppRequest = z.output<typeof appRequestSchema>;
const decisionSchema = z.object({ returnTo: z.string() });

/**
 * Shows a person which app asks for access, and takes their answer. A browser sends the cookie of a request to the paths of that request
 * alone: only the browser in which the request began can answer it. The address of the request is not enough.
 */
export const consentRoutes: FastifyPluginAsyncZod<ConsentOptions> = async (app, { baseUrl, clock, load }) => {
  const hide = { hide: true, params: paramsSchema };
  const forSession = { access: 'session' } as const;

  app.get(`${paths.interaction}/:uid`, {
    config: { access: 'public' },
    schema: hide,
    handler: ({ params: { uid } }, reply) =>
      reply.redirect(`${issuerOf(baseUrl)}/console/connect?request=${encodeURIComponent(uid)}`),
  });

  app.get(`${paths.interaction}/:uid/request`, {
    config: forSession,
    schema: { ...hide, response: { 200: appRequestSchema } },
    handler: async (request, reply) => (await findRequest(request, reply)).app,
  });

  app.post(`${paths.interaction}/:uid/allow`, {
    config: { ...forSession, confirmation: 'people with a second factor' },
    schema: { ...hide, body: z.strictObject({ organizationId: idSchema }), response: { 200: decisionSchema } },
    handler: async (request, reply) => {
      const { em, session, body } = request;
      const { userId } = session!;
      const { client, app, provider } = await findRequest(request, reply);
      const draft = { ...app, clientId: client.clientId, organizationId: body.organizationId };
      const appId = await em.transactional((em) => connectApp(em, session!, draft, clock()));
      const grant = new provider.Grant({ accountId: userId, clientId: client.clientId });
      grant.addResourceScope(mcpResource(baseUrl), mcpScope);
      // Its rows go with the app.
      grant.jti = appId;
      await grant.save();
      const result = { login: { accountId: userId, remember: false }, consent: { grantId: appId } };
      return { returnTo: await provider.interactionResult(request.raw, reply.raw, result) };
    },
  });

  app.post(`${paths.interaction}/:uid/refuse`, {
    config: forSession,
    schema: { ...hide, response: { 200: decisionSchema } },
    handler: async (request, reply) => {
      const { provider } = await findRequest(request, reply);
      const result = { error: 'access_denied', error_description: 'The person refused.' };
      return { returnTo: await provider.interactionResult(request.raw, reply.raw, result) };
    },
  });

  /** @throws AppError NOT_FOUND for a request that is over, or of another browser. */
  async function findRequest(request: FastifyRequest, reply: FastifyReply) {
    const { uid } = request.params as z.output<typeof paramsSchema>;
    const { provider } = await load();
    const interaction = await provider.interactionDetails(request.raw, reply.raw).catch((error: Error) => {
      if (error.name === 'SessionNotFound') return undefined;
      throw error;
    });
    const { client_id: clientId, redirect_uri: redirectUri } = interaction?.params ?? {};
    const client = typeof clientId === 'string' ? await provider.Client.find(clientId) : undefined;
    const redirectHost = typeof redirectUri === 'string' ? redirectHostOf(redirectUri) : undefined;
    const isDecided = interaction?.result !== undefined;
    if (interaction?.uid !== uid || isDecided || client === undefined || redirectHost === undefined)
      throw new AppError('NOT_FOUND', 'This request is over: connect the app again, in this browser.');
    const { host = null } = URL.parse(client.clientId) ?? {};
    const name = toClientName(client.clientName) ?? host ?? redirectHost;
    const app: AppRequest = { name: nameOf(name, host), clientHost: host, redirectHost };
    return { client, provider, app };
  }
};

/** Of a client with a metadata document its host stands beside what it calls itself: the host alone is proven. No other name looks so. */
function nameOf(name: string, clientHost: string | null): string {
  if (clientHost !== null) return name === clientHost ? name : `${name} (${clientHost})`;
  const plain = name.replaceAll(/[()]/g, ' ').replaceAll(/\s+/g, ' ').trim();
  return /\S\.\S/.test(plain) ? `${plain} – unverified` : plain;
}
