import { createDiskReader, measureDisk } from './adapters/machine/disk.ts';
import { createLog } from './adapters/log.ts';
import { startMetrics } from './adapters/metrics.ts';
import { aborted, reportReady, runToExit, stopSignal } from './adapters/machine/process.ts';
import { type Config, ConfigError, loadConfig, temporalFiles } from './config/load.ts';
import { edgeKeyOf, readEdgeKey } from './core/secrets/edge-key.ts';
import { createDatabase, type Database } from './db/connection/database.ts';
import { measureDatabase } from './db/health/metrics.ts';
import { isMistake, type Parts, type Service } from './start/shared.ts';

/**
 * The server process: the REST API, the edge, or both (SERVE). The edge serves without a database what it has in memory;
 * the API waits for its database. Ends with 0 on SIGTERM or SIGINT, or when its supervisor goes.
 */

// Each part takes a good deal of memory before it does anything: only what is wanted is loaded.
const parts: Record<'edge' | 'api', () => Promise<(parts: Parts) => Promise<Service>>> = {
  edge: async () => (await import('./start/edge.ts')).serveEdge,
  api: async () => (await import('./start/api.ts')).serveApi,
};

const filesOfApi = ['WEBHOOK_CA_FILE', ...temporalFiles] as const;
const filesOfEdge = ['GEOIP_DB'] as const;
// Where the server does not end a statement in time, it does not answer at all.
const patienceMs = 5_000;

async function main(): Promise<void> {
  const { SERVE: serve } = process.env;
  const config: Config = loadConfig(process.env, {
    files: [...(serve === 'edge' ? [] : filesOfApi), ...(serve === 'api' ? [] : filesOfEdge)],
    required: serve === 'edge' ? [] : ['DATABASE_URL', 'SECRET_KEY', 'TEMPORAL_ADDRESS'],
    by: 'the server',
  });
  // The kernel would share the connections out between the two.
  if (config.SERVE === 'both' && config.PORT === config.EDGE_PORT)
    throw new ConfigError(['EDGE_PORT: is the same as PORT']);
  if (config.EDGE_INTERNAL_PORT === config.EDGE_PORT)
    throw new ConfigError(['EDGE_INTERNAL_PORT: is the same as EDGE_PORT']);
  const { SECRET_KEY: secretKeys = [] } = config;
  const edgeKeys = config.EDGE_SECRET_KEY?.map((key) => readEdgeKey(key)!) ?? secretKeys.map(edgeKeyOf);
  const urls = { api: config.DATABASE_URL, edge: config.EDGE_DATABASE_URL ?? config.DATABASE_URL };
  const missing = [
    ...(urls.edge === undefined
      ? ['DATABASE_URL: is required by the server (an edge alone takes EDGE_DATABASE_URL)']
      : []),
    ...(edgeKeys.length === 0 ? ['SECRET_KEY: is required by the server (an edge alone takes EDGE_SECRET_KEY)'] : []),
  ];
  if (missing.length > 0) throw new ConfigError(missing);
  const stopping = stopSignal();
  const metrics = await startMetrics({ host: config.METRICS_HOST, port: config.METRICS_PORT });
  measureDisk(metrics.meter, createDiskReader(config.WAYMARK_DATA_DIR));
  const timeouts = { api: config.API_STATEMENT_TIMEOUT_MS, edge: config.EDGE_STATEMENT_TIMEOUT_MS };
  const databases: Record<string, Database> = {};
  measureDatabase(metrics.meter, databases);
  const services: Service[] = [metrics];
  for (const name of ['edge', 'api'] as const) {
    if (config.SERVE !== name && config.SERVE !== 'both') continue;
    const log = createLog({ level: config.LOG_LEVEL, process: name });
    const databaseUrl = urls[name]!;
    const db = createDatabase({
      url: databaseUrl,
      poolMax: config.DATABASE_POOL_MAX,
      applicationName: `waymark ${name}`,
      statementTimeoutMs: timeouts[name],
      idleTransactionTimeoutMs: config.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
      // A database that is silent, not away, must not hold callers for ever. The edge has shorter deadlines of its own.
      ...(name === 'api' && timeouts.api > 0 ? { queryTimeoutMs: timeouts.api + patienceMs } : {}),
      onError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
    });
    databases[name] = db;
    const serve = await parts[name]();
    services.push(await serve({ config, databaseUrl, secretKeys, edgeKeys, db, stopping, log, meter: metrics.meter }), {
      close: () => db.close(),
    });
  }
  if (!stopping.aborted) reportReady();
  await aborted(stopping);
  for (const service of services) await service.close();
}

await runToExit(main, isMistake);
