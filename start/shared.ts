import type { Logger } from 'pino';
import { GeoipError } from '#adapters/geoip.ts';
import { createOwnAddresses } from '#adapters/machine/own-addresses.ts';
import { untilSuccess } from '#adapters/machine/process.ts';
import type { Tracing } from '#adapters/tracing.ts';
import { TemporalAccessError } from '#adapters/temporal/access.ts';
import { ensurePlatformDomain } from '#db/domains/platform.ts';
import { type Config, ConfigError } from '#config/load.ts';
import type { EdgeKey } from '#core/secrets/edge-key.ts';
import type { Meter } from '#core/lib/meter.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { createSite } from '#core/links/site.ts';
import type { ThreatLists, ThreatListStatus } from '#core/threats/threat-lists.ts';
import type { Database } from '#db/connection/database.ts';
import { PoolerError, requireSessions } from '#db/health/pooler.ts';
import { requireSchema, SchemaError } from '#db/migrations/schema-version.ts';
import { requireSecretKey, SecretKeyError } from '#db/connection/secret-fingerprint.ts';
import { makeFolder } from '#scripts/lib/lock.mjs';
import manifest from '../package.json' with { type: 'json' };

/** A part of the process that serves; `close` ends the work under way first. */
export interface Service {
  close(): Promise<void>;
}

/** What the API and the edge are built from. */
export interface Parts {
  config: Config;
  databaseUrl: string;
  /** The values of SECRET_KEY; none where the edge alone is served, and has keys of its own. */
  secretKeys: readonly string[];
  /** The keys that an edge derives from them. */
  edgeKeys: readonly EdgeKey[];
  db: Database;
  stopping: AbortSignal;
  log: Logger;
  meter: Meter;
}

/** Where the kernel shares connections out, any number of processes may serve one port. */
export function addressOf({ HOST: host }: Config, port: number): { host: string; port: number; reusePort: boolean } {
  return { host, port, reusePort: ['linux', 'freebsd'].includes(process.platform) };
}

/** Begins to export spans where a collector is named; the libraries for it are loaded then alone. */
export async function openTracing(
  { OTEL_EXPORTER_OTLP_ENDPOINT: url }: Config,
  service: string,
): Promise<Tracing | undefined> {
  if (url === undefined) return undefined;
  const { startTracing } = await import('#adapters/tracing.ts');
  return startTracing({ url, service, version: manifest.version });
}

/** The addresses under which links are served. */
export function siteOf(config: Config): ReturnType<typeof createSite> {
  return createSite({
    scheme: config.EDGE_SCHEME,
    platformDomain: config.PLATFORM_DOMAIN,
    platformAddress: config.PLATFORM_ADDRESS,
    isOwnAddress: createOwnAddresses(),
  });
}

/**
 * Waits until the database answers, then makes sure that it is fit to be used.
 * @param sealing whose fingerprints are to be the database's.
 * @param onlyCompares for an edge whose role may write neither the fingerprint nor the platform domain: the API does.
 * @param platformHost the platform domain to make where it is missing; undefined: others make it.
 * @throws PoolerError where a pooler gives connections no sessions, SchemaError when its schema is older than this version needs,
 * SecretKeyError when SECRET_KEY is not its own.
 */
export async function untilDatabase(
  { db, stopping, log }: Pick<Parts, 'db' | 'stopping' | 'log'>,
  sealing: Pick<Sealing, 'fingerprints'>,
  { onlyCompares = false, platformHost }: { onlyCompares?: boolean; platformHost?: string } = {},
): Promise<void> {
  await untilSuccess(
    async () => {
      await requireSessions(db.pool);
      await requireSchema(db.pool);
      await requireSecretKey(db, sealing, { onlyCompares });
      if (platformHost !== undefined) await ensurePlatformDomain(db, platformHost);
    },
    {
      stopping,
      isOperatorError,
      onWaiting: (error) => log.warn({ err: error }, 'the database does not answer; waiting for it'),
    },
  );
}

/** Makes the data folder where it is missing. @throws ConfigError where it cannot be one. */
export function makeDataFolder({ WAYMARK_DATA_DIR: folder }: Pick<Config, 'WAYMARK_DATA_DIR'>): void {
  try {
    makeFolder(folder, 0o700);
  } catch (error) {
    throw new ConfigError([`WAYMARK_DATA_DIR: ${folder} cannot be used: ${(error as Error).message}`]);
  }
}

/** Names of settings that are ports to listen on. */
export type PortName = 'PORT' | 'EDGE_PORT' | 'EDGE_INTERNAL_PORT' | 'METRICS_PORT';

interface ListenError extends NodeJS.ErrnoException {
  /** The name that was looked up. */
  hostname?: string;
  address?: string;
  port?: number;
}

/**
 * Runs `work`; the error of a port that it cannot listen on gets the name of the setting.
 * @throws ConfigError for a host that is no address of this machine.
 */
export async function namingPorts<T>(config: Config, names: readonly PortName[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { syscall, code, port, message, hostname, address } = error as ListenError;
    const host = syscall === 'getaddrinfo' ? hostname : code === 'EADDRNOTAVAIL' ? address : undefined;
    const hostSetting = (['HOST', 'METRICS_HOST'] as const).find((each) => config[each] === host);
    if (host !== undefined && hostSetting !== undefined)
      throw new ConfigError([`${hostSetting}: ${host} cannot be listened on (${code})`]);
    const name = syscall === 'listen' ? names.find((each) => config[each] === port) : undefined;
    if (name !== undefined) (error as Error).message = `${name}: ${message}`;
    throw error;
  }
}

/** Whether the operator has to change something before the process can run. */
export function isOperatorError(error: unknown): boolean {
  // A port that is taken, an address that is not this machine's, a data folder that cannot be one.
  if (['listen', 'mkdir'].includes((error as NodeJS.ErrnoException).syscall ?? '')) return true;
  return [ConfigError, GeoipError, PoolerError, SchemaError, SecretKeyError, TemporalAccessError].some(
    (mistake) => error instanceof mistake,
  );
}

/** Registers metrics of the threat lists that a process holds. @param areUsed whether scans go by them. */
export function measureThreatLists(meter: Meter, lists: ThreatLists, areUsed: () => boolean): void {
  const gauge = (name: string, help: string, read: (list: ThreatListStatus) => number): void =>
    meter.gauge(
      `waymark_threat_list_${name}`,
      help,
      () => lists.status(Date.now()).map((list) => ({ labels: { list: list.threatType }, value: read(list) })),
      ['list'],
    );
  gauge('entries', 'Hash prefixes of a threat list in memory.', ({ entries }) => entries);
  gauge('overdue_seconds', 'How long changes of a threat list are overdue.', ({ overdueMs }) => overdueMs / 1_000);
  meter.gauge('waymark_threat_lists_fresh', 'Whether the threat lists can tell that a URL is clean.', () =>
    areUsed() ? Number(lists.isFresh(Date.now())) : [],
  );
}
