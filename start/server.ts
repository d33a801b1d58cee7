import { createDiskReader, measureDisk } from '#adapters/machine/disk.ts';
import { createLog } from '#adapters/log.ts';
import { aborted, reportReady } from '#adapters/machine/process.ts';
import { startMetrics } from '#adapters/metrics.ts';
import { type Config, loadConfig, temporalFiles } from '#config/load.ts';
import { type EdgeKey, edgeKeyOf, readEdgeKey } from '#core/secrets/edge-key.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { measureDatabase } from '#db/health/metrics.ts';
import { namingPorts, type Parts, type PortName, type Service } from './shared.ts';

// Each part takes a good deal of memory before it does anything: a process loads only what it serves.
const parts: Record<'edge' | 'api', () => Promise<(parts: Parts) => Promise<Service>>> = {
  edge: async () => (await import('./edge.ts')).serveEdge,
  api: async () => (await import('./api.ts')).serveApi,
};

const filesOfApi = ['WEBHOOK_CA_FILE', 'BREACHED_PASSWORDS_FILE', ...temporalFiles] as const;
const filesOfEdge = ['GEOIP_DB'] as const;
// Ends a query whose database answers nothing at all, not even that the statement took too long.
const patienceMs = 5_000;

/** Serves the API, the edge, or both (SERVE), until `stopping` is aborted. @throws ConfigError with every mistake. */
export async function runServer(stopping: AbortSignal): Promise<void> {
  const server = readServerConfig();
  await namingPorts(server.config, portsOf(server.config), () => serveAll(server, stopping));
}

async function serveAll({ config, edgeKeys, urls }: ServerConfig, stopping: AbortSignal): Promise<void> {
  const { SECRET_KEY: secretKeys = [] } = config;
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
      // The API's statistics and searches read much of a table at times.
      prefersIndexes: name === 'edge',
      // The edge has shorter deadlines of its own.
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

interface ServerConfig {
  config: Config;
  edgeKeys: EdgeKey[];
  urls: { api: string | undefined; edge: string | undefined };
}

/** Reads the configuration and checks what concerns several settings at once. */
function readServerConfig(): ServerConfig {
  const serve = process.env.SERVE?.trim();
  const config = loadConfig(process.env, {
    files: [...(serve === 'edge' ? [] : filesOfApi), ...(serve === 'api' ? [] : filesOfEdge)],
    required: serve === 'edge' ? [] : ['DATABASE_URL', 'SECRET_KEY', 'TEMPORAL_ADDRESS'],
    by: 'the server',
    check: (known) => [...findSamePorts(known), ...(known.SERVE === 'edge' ? findMissingOfEdge(known) : [])],
  });
  const edgeKeys = config.EDGE_SECRET_KEY?.map((key) => readEdgeKey(key)!) ?? (config.SECRET_KEY ?? []).map(edgeKeyOf);
  const urls = { api: config.DATABASE_URL, edge: config.EDGE_DATABASE_URL ?? config.DATABASE_URL };
  return { config, edgeKeys, urls };
}

/** The kernel would share the connections out between two services of one port. */
function findSamePorts(config: Config): string[] {
  const { HOST: host, METRICS_HOST: metricsHost } = config;
  const isOneHost = host === metricsHost || [host, metricsHost].some((name) => ['0.0.0.0', '::'].includes(name));
  const names = portsOf(config).filter((name) => name !== 'METRICS_PORT' || isOneHost);
  return names.flatMap((name, index) => {
    const other = names.slice(0, index).find((before) => config[before] === config[name]);
    return other === undefined ? [] : [`${name}: is the same as ${other}`];
  });
}

/** The settings of ports that this process listens on. */
function portsOf(config: Config): PortName[] {
  const names: PortName[] = [
    ...(config.SERVE === 'edge' ? [] : (['PORT'] as const)),
    ...(config.SERVE === 'api' ? [] : (['EDGE_PORT', 'EDGE_INTERNAL_PORT'] as const)),
    'METRICS_PORT',
  ];
  return names.filter((name) => config[name] !== undefined);
}

function findMissingOfEdge(config: Config): string[] {
  const hasDatabase = (config.EDGE_DATABASE_URL ?? config.DATABASE_URL) !== undefined;
  const hasKey = (config.EDGE_SECRET_KEY ?? config.SECRET_KEY) !== undefined;
  return [
    ...(hasDatabase ? [] : ['DATABASE_URL: is required by the server (an edge alone takes EDGE_DATABASE_URL)']),
    ...(hasKey ? [] : ['SECRET_KEY: is required by the server (an edge alone takes EDGE_SECRET_KEY)']),
  ];
}
