import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { parse } from 'node:querystring';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { boundConnections, readAheadBytes } from '#core/http/bounded-connections.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { noMeter } from '#core/lib/meter.ts';
import { apiKeyRoutes } from './api-key/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { bodyLimits } from './limits/body-limits.ts';
import { activityRoutes } from './activity/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { invitationRoutes } from './invitation/routes.ts';
import { linkPreviewRoutes } from './link-preview/routes.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { openPaths } from './oauth/metadata.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { consoleRoutes } from './console/routes.ts';
import { siteRoutes } from './site/routes.ts';
import type { ApiDependencies } from './dependencies.ts';
import { domainRoutes } from './domain/routes.ts';
import { fileRoutes } from './files/routes.ts';
import { folderRoutes } from './folder/routes.ts';
import { processRoutes } from './process/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { access } from './plugins/caller/access.ts';
import { draining } from './plugins/draining.ts';
import { bodyShare } from './plugins/body-share.ts';
import { compression } from './plugins/compression.ts';
import { cors } from './plugins/cors.ts';
import { documentation } from './plugins/documentation/documentation.ts';
import { entityManager } from './plugins/entity-manager.ts';
import { createConnectionRefuser, tunnelAsked, createRequestRefuser, errors } from './plugins/errors.ts';
import { createCommonHeaders, headers } from './plugins/headers.ts';
import { idempotency } from './plugins/idempotency.ts';
import { appToken } from './plugins/caller/app-token.ts';
import { key } from './plugins/caller/key.ts';
import { multipart } from './plugins/multipart.ts';
import { requestLog } from './request-log/plugin.ts';
import { requests } from './plugins/telemetry/requests.ts';
import { session } from './plugins/caller/session.ts';
import { tracing } from './plugins/telemetry/tracing.ts';
import { validation } from './plugins/validation.ts';
import { versions } from './plugins/versions.ts';
import { joinBrackets } from './query.ts';
import { deletionRoutes } from './organization/deletion-routes.ts';
import { organizationOidcRoutes } from './organization/oidc-routes.ts';
import { organizationRoutes } from './organization/routes.ts';
import { requestLogRoutes } from './request-log/routes.ts';
import { securityTxtRoute } from './security-txt/routes.ts';
import { shortLinkRoutes } from './short-link/routes.ts';
import { statsRoutes } from './stats/routes.ts';
import { tagRoutes } from './tag/routes.ts';
import { utmTemplateRoutes } from './utm-template/routes.ts';
import { toolRoutes } from './staff/routes.ts';
import { webhookRoutes } from './webhook/routes.ts';

// A filter takes 1,000 ids, each of which may repeat the filter's name: 64 KiB hold them.
const maxHeaderBytes = 64 * 1024;
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
// Node's default is 30 s, which would add as much to every deadline.
const lookForLateEveryMs = 1_000;
const keepAliveTimeoutMs = 72_000;
// Plugins, Fastify and the stream of a file together listen for the end of an answer more often than Node's default of ten.
const mostListeners = 20;
// Beyond it the answer is 400 for a malformed id, not 404.
const maxParamLength = 1_000;

/** The REST API, ready for `listen` or `inject`. */
export async function createApi(deps: ApiDependencies): Promise<FastifyInstance> {
  const commonHeaders = createCommonHeaders(deps.baseUrl);
  const refuseConnection = createConnectionRefuser(deps.logger, commonHeaders);
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    bodyLimit: bodyLimits.single,
    serverFactory(handler) {
      const server = createServer(
        {
          maxHeaderSize: maxHeaderBytes,
          // The plugin `errors` refuses a call without Host: Node's own answer has no body.
          requireHostHeader: false,
          headersTimeout: headersTimeoutMs,
          requestTimeout: requestTimeoutMs,
          keepAliveTimeout: keepAliveTimeoutMs,
          connectionsCheckingInterval: lookForLateEveryMs,
          highWaterMark: readAheadBytes,
        },
        handler,
      );
      boundConnections(server);
      server.on('connect', (_request, socket: Socket) => refuseConnection(tunnelAsked, socket));
      return server;
    },
    routerOptions: { maxParamLength, ignoreTrailingSlash: true, querystringParser: parseQuery },
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    return503OnClosing: false,
    frameworkErrors: createRequestRefuser(commonHeaders),
    clientErrorHandler: refuseConnection,
  });

  app.addHook('onRequest', async (_request, { raw }) => void raw.setMaxListeners(mostListeners));
  await app.register(draining);
  await app.register(entityManager, { em: deps.em });
  if (deps.isTraced === true) await app.register(tracing);
  await app.register(requests, { meter: deps.meter ?? noMeter });
  await app.register(headers, { commonHeaders });
  await app.register(errors, deps.installation);
  await app.register(cors, { origins: deps.corsOrigins ?? [], openPaths: openPaths(deps.baseUrl) });
  await app.register(requestLog, { log: deps.requestLog });
  await app.register(compression);
  await app.register(validation, { checkAnswers: deps.checkAnswers ?? false });
  // Before `access`, whose onRoute hook requires `access` of every later route.
  await app.register(documentation, { baseUrl: deps.baseUrl });
  await app.register(key, deps);
  await app.register(appToken, deps);
  await app.register(session, deps);
  await app.register(access, deps);
  await app.register(bodyShare);
  await app.register(versions);
  await app.register(multipart);
  await app.register(idempotency, { em: deps.em, sealing: deps.sealing });
  await app.register(healthRoutes, deps.health);
  await app.register(securityTxtRoute, { contacts: deps.securityContacts, clock: deps.clock });
  await app.register(shortLinkRoutes, deps);
  await app.register(linkPreviewRoutes, deps);
  await app.register(statsRoutes, deps);
  await app.register(folderRoutes, deps);
  await app.register(tagRoutes, deps);
  await app.register(utmTemplateRoutes, deps);
  await app.register(domainRoutes, deps);
  await app.register(fileRoutes, deps);
  await app.register(webhookRoutes, deps);
  await app.register(organizationRoutes, deps);
  await app.register(organizationOidcRoutes, deps);
  await app.register(deletionRoutes, deps);
  await app.register(invitationRoutes, deps);
  await app.register(activityRoutes);
  await app.register(auditRoutes, deps);
  await app.register(requestLogRoutes, deps);
  await app.register(processRoutes, deps);
  await app.register(apiKeyRoutes, deps);
  await app.register(authRoutes, deps);
  await app.register(mcpRoutes, deps);
  await app.register(oauthRoutes, deps);
  await app.register(toolRoutes, deps);
  // Its pages name each other from the root: an installation below a path has them in the repository alone.
  if (new URL(deps.baseUrl).pathname === '/') await app.register(siteRoutes, { folder: deps.siteFolder });
  await app.register(consoleRoutes, { baseUrl: deps.baseUrl, folder: deps.consoleFolder });
  return app;
}

function parseQuery(text: string): Record<string, unknown> {
  // The default of 1,000 keys would drop the rest silently.
  return joinBrackets(parse(text, '&', '=', { maxKeys: 0 }));
}
