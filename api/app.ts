import { parse } from 'node:querystring';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { Sealing } from '../core/sealing.ts';
import type { Site } from '../core/site.ts';
import type { Database } from '../db/database.ts';
import { type HealthDependencies, healthRoutes } from './health/routes.ts';
import type { KeyDirectory } from './keys.ts';
import type { Limiter } from './limiter.ts';
import { auth } from './plugins/auth.ts';
import { documentation } from './plugins/documentation.ts';
import { errors } from './plugins/errors.ts';
import { idempotency } from './plugins/idempotency.ts';
import { validation } from './plugins/validation.ts';
import { joinBrackets } from './query.ts';
import { shortLinkRoutes } from './short-link/routes.ts';
import type { VerdictWaiter } from './verdict-waiter.ts';

/** What the API is built from. */
export interface ApiDependencies {
  db: Database;
  site: Site;
  keys: KeyDirectory;
  limiter: Limiter;
  /** A name for a client's address that does not tell it. */
  nameClient(address: string): string;
  /** Seals the answers that are kept for those who ask again. */
  sealing: Sealing;
  verdicts: VerdictWaiter;
  health: HealthDependencies;
  /** Tells the relay that the outbox has rows; returns at once. */
  wakeRelay(): void;
  clock(): Date;
  baseUrl: string;
  /** How long a create waits for its verdict, in milliseconds. */
  threatScanWaitMs: number;
  trustedProxies: readonly string[];
  logger: FastifyBaseLogger;
  /** Whether answers are checked against their schemas: in tests. */
  checkAnswers?: boolean;
}

// A bulk call of 100 links with the longest of everything stays below.
const bodyLimitBytes = 4 * 1024 * 1024;
const requestTimeoutMs = 30_000;
const keepAliveTimeoutMs = 72_000;
// Ids that are too long are malformed, not unknown.
const maxParamLength = 1_000;

/** Builds the REST API; `listen` or `inject` it. */
export async function createApi(deps: ApiDependencies): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    routerOptions: { maxParamLength, ignoreTrailingSlash: true, querystringParser: parseQuery },
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    return503OnClosing: false,
  });

  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern and never the URL: paths and queries may hold secrets (12.3).
    const { method, routeOptions } = request;
    request.log.debug(
      { method, route: routeOptions.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    );
  });

  await app.register(errors);
  await app.register(validation, { checkAnswers: deps.checkAnswers ?? false });
  // Before authentication, which minds the routes that come after it: the documentation is nobody's secret.
  await app.register(documentation, { baseUrl: deps.baseUrl });
  await app.register(auth, { keys: deps.keys, limiter: deps.limiter, nameClient: deps.nameClient });
  await app.register(idempotency, { db: deps.db, sealing: deps.sealing });
  await app.register(healthRoutes, deps.health);
  await app.register(shortLinkRoutes, deps);
  return app;
}

function parseQuery(text: string): Record<string, unknown> {
  return joinBrackets(parse(text));
}
