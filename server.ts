import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createDomainDns } from './adapters/dns.ts';
import { GeoipError, openGeoip } from './adapters/geoip.ts';
import { createLog } from './adapters/log.ts';
import { measurePools, startMetrics } from './adapters/metrics.ts';
import { aborted, reportReady, runToExit, stopSignal, untilDone } from './adapters/process.ts';
import { createImages } from './adapters/images.ts';
import { createQrCodes } from './adapters/qr-code.ts';
import { createSealing } from './adapters/sealing.ts';
import { createStorage } from './adapters/storage.ts';
import { createTemporal } from './adapters/temporal.ts';
import { createApi } from './api/app.ts';
import { createReadiness } from './api/health/readiness.ts';
import { createKeyDirectory } from './api/keys.ts';
import { createLimiter } from './api/limiter.ts';
import { createScanLag, createVerdictWaiter } from './api/verdict-waiter.ts';
import { ensurePlatformDomain } from './commands/platform.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createClientName } from './core/client-name.ts';
import { createFileUrl } from './core/file-url.ts';
import type { Sealing } from './core/sealing.ts';
import type { Meter } from './core/meter.ts';
import { createSite } from './core/site.ts';
import { createDatabase, type Database } from './db/database.ts';
import { createListener } from './db/listener.ts';
import { requireSchema, SchemaError } from './db/migrate.ts';
import { channels, createBell } from './db/notify.ts';
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
  meter: Meter;
}

const queryTimeoutMs = 15_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const { DATABASE_URL: databaseUrl, SECRET_KEY: secretKeys } = config;
  if (databaseUrl === undefined) throw new ConfigError(['DATABASE_URL: is required by the server']);
  if (secretKeys === undefined) throw new ConfigError(['SECRET_KEY: is required by the server']);
  const stopping = stopSignal();
  const metrics = await startMetrics(config.METRICS_PORT);
  const pools: Record<string, Pool> = {};
  measurePools(metrics.meter, pools);
  const services: Service[] = [metrics];
  for (const serve of [serveEdge, serveApi]) {
    const name = serve === serveEdge ? 'edge' : 'api';
    if (config.SERVE !== name && config.SERVE !== 'both') continue;
    const log = createLog({ level: config.LOG_LEVEL, process: name });
    const db = createDatabase({
      url: databaseUrl,
      poolMax: config.DATABASE_POOL_MAX,
      applicationName: `waymark ${name}`,
      // A database that is silent, not away, must not hold callers for ever. The edge has shorter deadlines of its own.
      ...(name === 'api' ? { queryTimeoutMs } : {}),
      onError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
    });
    pools[name] = db.pool;
    services.push(await serve({ config, databaseUrl, secretKeys, db, stopping, log, meter: metrics.meter }), {
      close: () => db.close(),
    });
  }
  if (!stopping.aborted) reportReady();
  await aborted(stopping);
  for (const service of services) await service.close();
}

async function serveEdge({ config, databaseUrl, secretKeys, db, stopping, log, meter }: Parts): Promise<Service> {
  const site = siteOf(config);
  // Without a database the edge serves all the same: journals are written, and what is asked for is answered 503.
  const sealing = createSealing(secretKeys);
  void untilDatabase({ db, sealing, platformHost: site.platformHost, stopping, log }).catch((error: Error) => {
    log.fatal(error.message);
    process.exit(1);
  });
  const geo = config.GEOIP_DB.length === 0 ? undefined : await openGeoip({ paths: config.GEOIP_DB, log });
  const edge = createEdge({
    database: db,
    databaseUrl,
    dataDir: config.WAYMARK_DATA_DIR,
    secretKeys,
    trustedProxies: config.TRUSTED_PROXIES,
    fsync: config.JOURNAL_FSYNC,
    isHttps: config.EDGE_SCHEME === 'https',
    fileUrl: createFileUrl(config.BASE_URL),
    notFoundPerMinute: config.EDGE_NOT_FOUND_PER_MINUTE,
    geo,
    log,
    meter,
  });
  const address = await edge.listen(addressOf(config, config.EDGE_PORT));
  log.info({ address }, 'the edge serves');
  return edge;
}

async function serveApi({ config, databaseUrl, secretKeys, db, stopping, log, meter }: Parts): Promise<Service> {
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
    meter,
  });
  const readiness = createReadiness({ sql: db, isTemporalReachable: temporal.isReachable, now: Date.now });
  const listener = createListener({
    url: databaseUrl,
    channels: [channels.verdicts, channels.keys, channels.journals],
    onNotification(channel, payload) {
      if (channel === channels.keys) keys.onChange(payload);
      else if (channel === channels.verdicts) verdicts.onVerdicts(payload);
      else readiness.onJournalLag(payload);
    },
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
    domainDns: createDomainDns({
      servers: config.DNS_SERVERS,
      edgeHostname: config.EDGE_HOSTNAME,
      edgeAddresses: config.EDGE_ADDRESSES,
    }),
    storage: createStorage(config),
    images: createImages(),
    qrCodes: createQrCodes(),
    health: readiness,
    wakeRelay: createBell(db, channels.outbox, onError),
    clock: () => new Date(),
    baseUrl: config.BASE_URL,
    threatScanWaitMs: config.THREAT_SCAN_WAIT_MS,
    trustedProxies: config.TRUSTED_PROXIES,
    logger: log,
    meter,
  });
  const address = await app.listen(addressOf(config, config.PORT));
  log.info({ address }, 'the API serves');
  return {
    async close() {
      await app.close();
      await Promise.all([keys.flush(), listener.close(), temporal.close()]);
    },
  };
}

/** Where the kernel shares connections out, any number of processes may serve one port. */
function addressOf({ HOST: host }: Config, port: number): { host: string; port: number; reusePort: boolean } {
  return { host, port, reusePort: ['linux', 'freebsd'].includes(process.platform) };
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
  await untilDone(
    async () => {
      await requireSchema(db.pool);
      await requireSecretKey(db, sealing);
      await ensurePlatformDomain(db, platformHost);
    },
    {
      stopping,
      isMistake,
      onWaiting: (error) => log.warn({ err: error }, 'the database does not answer; waiting for it'),
    },
  );
}

/** Whether whoever runs the process has to mend something. */
function isMistake(error: unknown): boolean {
  return [ConfigError, GeoipError, SchemaError, SecretKeyError].some((mistake) => error instanceof mistake);
}

await runToExit(main, isMistake);
