import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Routes } from '#api/dependencies.ts';
import { admitClient } from '#api/plugins/caller/caller.ts';
import { createPublicLimit } from '#api/limits/public-limit.ts';
import { invalid } from '#core/errors/errors.ts';
import { mcpScope } from '#core/accounts/connected-apps.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { toClientName } from '#core/audit/client-name.ts';
import { consentRoutes } from './consent-routes.ts';
import { answerPerson, answerProgram } from './errors.ts';
import { oauthCall } from './oauth-call.ts';
import {
  basePath,
  describeResource,
  describeServer,
  paths,
  resourceMetadataPaths,
  serverMetadataPaths,
} from './metadata.ts';
import type { AuthorizationServer } from './provider.ts';

// As `/mcp`: apps that run at one place for many people renew their tokens from one address.
const perSecond = 50;
// A redirect URI and a state; each request is kept for ten minutes.
const longestRequest = 4_000;
const mostRedirects = 10;
const longestUri = 500;

/** What a client may say of itself; the rest is left out (RFC 7591 §2). */
const registrationSchema = z.object({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string().max(longestUri)).min(1).max(mostRedirects),
});

/** Sign-in of MCP clients for people without a key (1.13): metadata, registration, and the endpoints of OAuth. */
export const oauthRoutes: Routes = async (app, deps) => {
  const { baseUrl, nameClient } = deps;
  const takeCall = createPublicLimit(perSecond);
  const route = { config: { access: 'public' as const }, schema: { hide: true } };
  // Loaded at the first sign-in: most installations have none.
  let server: Promise<AuthorizationServer> | undefined;
  const load = (): Promise<AuthorizationServer> =>
    (server ??= import('./provider.ts').then(({ createAuthorizationServer }) =>
      createAuthorizationServer({ ...deps, fetchDocument: deps.fetchClientDocument }),
    ));

  for (const url of resourceMetadataPaths(baseUrl)) app.get(url, route, async () => describeResource(baseUrl));
  for (const url of serverMetadataPaths(baseUrl)) app.get(url, route, async () => describeServer(baseUrl));

  app.post(paths.register, { ...route, errorHandler: answerProgram }, async (request, reply) => {
    // As any call without a key: one address alone cannot take all places of clients.
    await admitClient(deps, request, reply);
    const { data, error: problem } = registrationSchema.safeParse(request.body ?? {});
    if (data === undefined)
      return refuse(
        reply,
        problem.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; '),
      );
    const { register } = await load();
    const { errors } = await import('oidc-provider');
    const client = {
      client_id: uuidv7(),
      client_name: toClientName(data.client_name) ?? 'An app without a name',
      redirect_uris: data.redirect_uris,
      // Whatever it asked for: a client that anybody can register has no secret to keep.
      token_endpoint_auth_method: 'none',
    };
    try {
      return await reply.code(201).send(await oauthCall.run(callOf(request), () => register(client)));
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) throw error;
      return refuse(reply, error.error_description ?? '', error.error, error.statusCode);
    }
  });

  const callOf = ({ ip, log }: FastifyRequest) => ({ network: nameClient(ip), log });

  /** Hands a call to the library before its body is read, under the public address. */
  async function handOver(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    takeCall(request);
    const { callback } = await load();
    const { host, protocol } = new URL(baseUrl);
    const raw = Object.assign(request.raw, { originalUrl: `${basePath(baseUrl)}${request.raw.url}` });
    Object.assign(raw.headers, { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) });
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    await oauthCall.run(callOf(request), () => callback(raw, reply.raw));
  }
  /** As any call without a key, so that one address alone cannot take all places of requests. */
  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await admitClient(deps, request, reply);
    if (request.url.length > longestRequest)
      throw invalid('', `The address has more than ${longestRequest} characters.`);
    request.raw.url = withScope(request.url);
    await handOver(request, reply);
  }

  const handed = { ...route, onRequest: handOver, handler: async () => undefined, errorHandler: answerProgram };
  const opened = { ...handed, errorHandler: answerPerson };
  app.route({ ...opened, onRequest: begin, method: 'GET', url: paths.authorize });
  app.route({ ...opened, method: 'GET', url: `${paths.authorize}/:uid` });
  app.route({ ...handed, method: 'POST', url: paths.token });
  app.route({ ...handed, method: 'POST', url: paths.revoke });
  app.route({ ...handed, method: 'GET', url: paths.jwks });
  await app.register(consentRoutes, { ...deps, load });
};

/** There is one scope: a client gets it, whether it asks for it, for another one or for none (RFC 6749 §3.3). */
function withScope(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const scopes = searchParams.getAll('scope');
  // The library refuses a parameter that is given twice.
  if (scopes.length > 1 || scopes[0]?.split(' ').includes(mcpScope) === true) return url;
  searchParams.set('scope', [scopes[0] ?? '', mcpScope].join(' ').trim());
  return `${pathname}?${searchParams.toString()}`;
}

function refuse(reply: FastifyReply, description: string, error = 'invalid_client_metadata', status = 400) {
  return reply.code(status).send({ error, error_description: description });
}
