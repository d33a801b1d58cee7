import { setTimeout } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { aborted, reportReady, runToExit, stopSignal } from './adapters/process.ts';
import { createSealing } from './adapters/sealing.ts';
import { createTemporal } from './adapters/temporal.ts';
import { createApi } from './api/app.ts';
import { createKeyDirectory } from './api/keys.ts';
import { createLimiter } from './api/limiter.ts';
import { createScanLag, createVerdictWaiter } from './api/verdict-waiter.ts';
import { ensurePlatformDomain } from './commands/platform.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createClientName } from './core/client-name.ts';
import type { Sealing } from './core/sealing.ts';
import { createSite } from './core/site.ts';
import { createDatabase, type Database } from './db/database.ts';
import { createListener } from './db/listener.ts';
import { requireSchema, SchemaError } from './db/migrate.ts';
import { channels, createBell } from './db/notify.ts';
import { outboxHealth } from './db/outbox.ts';
import { requireSecretKey, SecretKeyError } from './db/secret-fingerprint.ts';
import { createEdge } from './edge/server.ts';

/**
 * The server process: the REST API, the edge, or both (SERVE). The edge serves without a database what it has in memory;
 * the API waits for its database. Ends with 0 on SIGTERM or SIGINT, or when its supervisor goes.
 */

/** A part of the process that serves; `close` ends what is under way first. */
interface Service {
  close(): Promise<void>;
}

/** What both parts are built from. */
interface Parts {
  config: Config;
  databaseUrl: string;
  secretKeys: readonly string[];
  db: Database;
  stopping: AbortSignal;
  log: Logger;
}

const retryDatabaseMs = 500;

async function main(): Promise<void> {
  const config = loadConfig();
  const { DATABASE_URL: databaseUrl, SECRET_KEY: secretKeys } = config;
  if (databaseUrl === undefined) throw new ConfigError(['DATABASE_URL: is required by the server']);
  if (secretKeys === undefined) throw new ConfigError(['SECRET_KEY: is required by the server']);
  const stopping = stopSignal();
  const services: Service[] = [];
  for (const serve of [serveEdge, serveApi]) {
    const name = serve === serveEdge ? 'edge' : 'api';
    if (config.SERVE !== name && config.SERVE !== 'both') continue;
    const log = pino({ level: config.LOG_LEVEL, base: { process: name } });
    const db = createDatabase({
      url: databaseUrl,
      poolMax: config.DATABASE_POOL_MAX,
      applicationName: `waymark ${name}`,
      onError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
    });
    services.push(await serve({ config, databaseUrl, secretKeys, db, stopping, log }), { close: () => db.close() });
  }
  if (!stopping.aborted) reportReady();
  await aborted(stopping);
  for (const service of services) await service.close();
}

async function serveEdge({ config, databaseUrl, secretKeys, db, stopping, log }: Parts): Promise<Service> {
  const site = siteOf(config);
  // Without a database the edge serves all the same: journals are written, and what is asked for is answered 503.
  const sealing = createSealing(secretKeys);
  void untilDatabase({ db, sealing, platformHost: site.platformHost, stopping, log }).catch((error: Error) => {
    log.fatal(error.message);
    process.exit(1);
  });
  const edge = createEdge({
    database: db,
    databaseUrl,
    dataDir: config.WAYMARK_DATA_DIR,
    secretKeys,
    trustedProxies: config.TRUSTED_PROXIES,
    fsync: config.JOURNAL_FSYNC,
    log,
  });
  const address = await edge.listen({ host: config.HOST, port: config.EDGE_PORT });
  log.info({ address }, 'the edge serves');
  return edge;
}

async function serveApi({ config, databaseUrl, secretKeys, db, stopping, log }: Parts): Promise<Service> {
  if (config.TEMPORAL_ADDRESS === undefined) throw new ConfigError(['TEMPORAL_ADDRESS: is required by the API']);
  const site = siteOf(config);
  const sealing = createSealing(secretKeys);
  await untilDatabase({ db, sealing, platformHost: site.platformHost, stopping, log });
  const onError = (error: unknown): void => log.warn({ err: error }, 'a statement in the background failed');
  const temporal = createTemporal({ address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE, log });
  const keys = createKeyDirectory({ sql: db, isDeaf: () => listener.isDeaf(), onError });
  const verdicts = createVerdictWaiter({
    sql: db,
    isLagging: createScanLag({ sql: db, isTemporalReachable: temporal.isReachable }),
    onError,
  });
  const listener = createListener({
    url: databaseUrl,
    channels: [channels.verdicts, channels.keys],
    onNotification: (channel, payload) =>
      channel === channels.keys ? keys.onChange(payload) : verdicts.onVerdicts(payload),
    onGap() {
      keys.onGap();
      verdicts.onGap();
    },
    log,
    applicationName: 'waymark api listener',
  });
  await Promise.all([temporal.start(), listener.start()]);
  const app = await createApi({
    db,
    site,
    keys,
    limiter: createLimiter({
      sql: db,
      limits: { perSecond: config.RATE_LIMIT_PER_SECOND, perMinute: config.RATE_LIMIT_PER_MINUTE },
    }),
    nameClient: createClientName(secretKeys[0]!),
    sealing,
    verdicts,
    health: {
      pingDatabase: async () => void (await db.query('select 1')),
      degraded: () => degraded(db, temporal.isReachable),
    },
    wakeRelay: createBell(db, channels.outbox, onError),
    clock: () => new Date(),
    baseUrl: config.BASE_URL,
    threatScanWaitMs: config.THREAT_SCAN_WAIT_MS,
    trustedProxies: config.TRUSTED_PROXIES,
    logger: log,
  });
  const address = await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ address }, 'the API serves');
  return {
    async close() {
      await app.close();
      await Promise.all([keys.flush(), listener.close(), temporal.close()]);
    },
  };
}

function siteOf(config: Config): ReturnType<typeof createSite> {
  return createSite({ scheme: config.EDGE_SCHEME, platformDomain: config.PLATFORM_DOMAIN });
}

/**
 * Waits until the database answers, then makes sure that it is fit to be used.
 * @throws SchemaError when its schema is older than this version needs, SecretKeyError when SECRET_KEY is not its own.
 */
async function untilDatabase({
  db,
  sealing,
  platformHost,
  stopping,
  log,
}: Pick<Parts, 'db' | 'stopping' | 'log'> & { sealing: Sealing; platformHost: string }): Promise<void> {
  for (let isFirst = true; !stopping.aborted; isFirst = false) {
    try {
      await requireSchema(db.pool);
      await requireSecretKey(db, sealing);
      await ensurePlatformDomain(db, platformHost);
      return;
    } catch (error) {
      if (isMistake(error)) throw error;
      if (isFirst) log.warn({ err: error }, 'the database does not answer; waiting for it');
      await setTimeout(retryDatabaseMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

async function degraded(db: Database, isTemporalReachable: () => boolean): Promise<string[]> {
  const names: string[] = [];
  if (!isTemporalReachable()) names.push('temporal');
  const { parked } = await outboxHealth(db);
  if (parked > 0) names.push(`outbox: ${parked} parked`);
  return names;
}

/** Whether whoever runs the process has to mend something. */
function isMistake(error: unknown): boolean {
  return error instanceof ConfigError || error instanceof SchemaError || error instanceof SecretKeyError;
}

await runToExit(main, isMistake);
