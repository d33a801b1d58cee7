import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiDependencies } from '#api/dependencies.ts';
import { bodyLimits, bodyShareBytes } from '#api/limits/body-limits.ts';
import { createPublicLimit } from '#api/limits/public-limit.ts';
import { createUnderWay } from '#api/limits/under-way.ts';
import { challengeOf } from '#api/oauth/metadata.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import { isApiKey } from '#core/organizations/api-key.ts';
import { findAppToken } from '#db/accounts/connected-apps.ts';
import { hashRecordId } from '#db/accounts/oauth-records.ts';
import { clientOf, isHandshake, sessionHeader, sessionOf } from './client.ts';
import type { createMcp } from './server.ts';

type McpDependencies = Pick<ApiDependencies, 'baseUrl' | 'em' | 'installation'>;

// Lists of tools ask for no key's limit: this one bounds them. Each tool's calls count for its key besides.
const perSecond = 50;
// Headers that the API sets itself.
const ownHeaders = new Set(['cache-control', 'connection']);

/** Model Context Protocol at `/mcp`: streamable HTTP without sessions. The key or access token of the caller decides what its tools may do. */
export const mcpRoutes: FastifyPluginAsync<McpDependencies> = async (app, { baseUrl, em, installation }) => {
  const takeCall = createPublicLimit(perSecond);
  const route = { config: { access: 'public' as const }, schema: { hide: true } };
  // Loaded at the first call: an idle start needs none of it.
  let serve: Promise<ReturnType<typeof createMcp>> | undefined;

  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());

  const largeBodies = createUnderWay(bodyShareBytes, 'Too many large messages are sent from this address at a time.');
  // Before the body is read, which may be larger than that of other calls whose caller is not known yet.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    takeCall(request);
    const bytes = Math.min(bodyLimits.message, Number(request.headers['content-length'] ?? bodyLimits.message));
    if (bytes > bodyLimits.single) largeBodies.begin(request.ip, bytes, reply.raw);
  };

  app.post('/mcp', { ...route, bodyLimit: bodyLimits.message, onRequest }, async (request, reply) => {
    // Batches went with the protocol of 2025-06-18; one would multiply what a call may cost.
    if (Array.isArray(request.body)) throw invalid('', 'Send one message a call: batches are not served.');
    const credentials = credentialsOf(request);
    if (credentials === undefined) {
      void reply.header('www-authenticate', challengeOf(baseUrl));
      throw new AppError('UNAUTHORIZED', 'Sign in, or send an API key in x-api-key or as Authorization: Bearer.');
    }
    const { tokenHash } = credentials;
    if (tokenHash !== undefined && (await findAppToken(em, tokenHash)) === undefined) {
      void reply.header('www-authenticate', challengeOf(baseUrl, 'invalid_token'));
      throw new AppError('UNAUTHORIZED', 'This access token is not valid, or no longer.');
    }
    if (credentials.key !== undefined && isHandshake(request.body) && !(await isLive(credentials.key, request.ip))) {
      void reply.header('www-authenticate', challengeOf(baseUrl, 'invalid_token'));
      throw new AppError('UNAUTHORIZED', 'There is no such API key, or it has ended.');
    }
    serve ??= import('./server.ts').then((server) => server.createMcp(app, installation.version, closing.signal));
    const caller = { ...credentials, address: request.ip, client: clientOf(request) };
    const answer = await (await serve)(toWebRequest(request, reply, baseUrl), request.body, caller);
    const session = sessionOf(request.body);
    if (session !== undefined) void reply.header(sessionHeader, session);
    const { body, headers, status } = answer;
    for (const [name, value] of headers) if (!ownHeaders.has(name)) void reply.header(name, value);
    void reply.code(status);
    // Events are sent as they come.
    if (body !== null && headers.get('content-type') === 'text/event-stream')
      return reply.send(Readable.from(body, { objectMode: false }));
    return reply.send(Buffer.from(await answer.arrayBuffer()));
  });

  /** Asks the API, which counts the call for the key, or for the address where there is no such key. */
  async function isLive(key: string, remoteAddress: string): Promise<boolean> {
    const { statusCode } = await app.inject({ url: '/organization', headers: { 'x-api-key': key }, remoteAddress });
    return statusCode !== 401;
  }

  // There is no session to stream to or to end.
  app.route({
    ...route,
    method: ['GET', 'DELETE'],
    url: '/mcp',
    handler: (_request, reply) => reply.code(405).header('allow', 'POST').send(),
  });
};

/** The API key, or the hash of the access token. */
function credentialsOf({ headers }: FastifyRequest): { key?: string; tokenHash?: string } | undefined {
  const { 'x-api-key': key, authorization = '' } = headers;
  if (typeof key === 'string') return { key };
  const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  if (bearer === undefined) return undefined;
  return isApiKey(bearer) ? { key: bearer } : { tokenHash: hashRecordId(bearer) };
}

/** The request of the protocol; its signal is aborted when the client disconnects, which Fastify's own is not once the body is read. */
function toWebRequest({ headers }: FastifyRequest, { raw }: FastifyReply, baseUrl: string): Request {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') sent.set(name, value);
  sent.delete('content-length');
  return new Request(new URL('/mcp', baseUrl), { method: 'POST', headers: sent, body: '{}', signal: gone.signal });
}
