import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoCredentials } from '#commands/organizations/demo.ts';
import type { Config } from '#config/load.ts';
import { isCommonPassword } from '#core/accounts/common-passwords.ts';
import { createSite } from '#core/links/site.ts';
import { isBundleFresh } from '#scripts/build/workflows.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { postgresUrl, postgresVersion, stopOrphanPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { clickHouseUrlOf } from '#scripts/embedded/clickhouse/running.ts';
import { stopOrphanTemporal } from '#scripts/embedded/temporal/temporal.ts';
import type { TemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { checkVersions, stampVersions } from '#scripts/embedded/versions.ts';
import { isOk } from '#scripts/lib/is-ok.ts';
import { acquireLock, makeFolder } from '#scripts/lib/lock.mjs';
import { waymarkVersion } from '#scripts/lib/paths.ts';
import { describeExit } from '#scripts/lib/running.ts';
import { edgeEnvironment, planEdgeRole } from './edge-access.ts';
import { createOutput, elapsed, type LogWriter } from './output.ts';
import { checkPorts } from './ports.ts';
import {
  bundleInChild,
  childEnvironment,
  clickhouseService,
  postgresService,
  prepareInChild,
  productService,
  temporalService,
  withMetricsPort,
} from './processes.ts';
import { ensureClickHousePassword, readDemoCredentials, tightenSecrets } from './secrets.ts';
import { type Service, supervise, type Supervised } from './supervise.ts';

const answersDeadlineMs = 120_000;
const probeTimeoutMs = 2_000;
const pollMs = 50;
const stopOrder = [['edge', 'api'], ['worker'], ['temporal'], ['postgres', 'clickhouse']];

/** All processes of one `npm start`. */
interface Stack {
  /**
   * Starts everything, and resolves when all processes answer.
   * @returns the demo organization's credentials; undefined without one.
   * @throws StartError for failures that the operator can fix.
   */
  start(): Promise<DemoCredentials | undefined>;
  /** Rejects when a child dies too often; never resolves. */
  readonly failed: Promise<never>;
  /** Stops all processes in order. May be called again with `hurry`. */
  stop(options?: { hurry?: boolean }): Promise<void>;
}

interface StackTimings {
  /** Milliseconds from running Temporal and bundled workflows until all children must serve. */
  childrenDeadlineMs: number;
}

/** @param say prints one line of progress. */
export function createStack(
  config: Config,
  say: (line: string) => void,
  { childrenDeadlineMs }: StackTimings = { childrenDeadlineMs: 120_000 },
): Stack {
  const dataDir = config.WAYMARK_DATA_DIR;
  const output = createOutput();
  const supervisor = output('waymark');
  const aborting = new AbortController();
  const failure = Promise.withResolvers<never>();
  // Avoids an unhandled rejection before `failed` is awaited.
  failure.promise.catch(() => {});
  const running = new Map<string, Supervised>();
  let lock: { release(): void } | undefined;

  /** Starts a service, and starts it again when it dies. @returns when it serves. */
  const keep = async (name: string, make: (log: LogWriter) => Service): Promise<void> => {
    aborting.signal.throwIfAborted();
    const log = output(name);
    const service = make(log);
    let isUp = false;
    const supervised = supervise(service, {
      onDeath: (exit, pauseMs) => {
        // A restart does not fix the reasons for which the first start of an embedded server fails.
        if (!isUp && exit.error instanceof StartError) return failure.reject(exit.error);
        supervisor.line(`${name} ${describeExit(exit)}; it is started again in ${pauseMs / 1000} s`);
      },
      onReturn: () => supervisor.line(`${name} is back`),
      onGiveUp: (exit) => {
        const tail = log.tail().map((line) => `  ${line}`);
        const message = `${name} died five times in a row within ten seconds of its start: it ${describeExit(exit)}.`;
        const last = tail.length === 0 ? [] : ['The last lines of its log:', ...tail];
        failure.reject(new StartError([message, ...last].join('\n')));
      },
    });
    running.set(name, supervised);
    await Promise.race([supervised.ready, failure.promise]);
    isUp = true;
  };

  const tell = (title: string, startedAt: number): void => say(`  ${title.padEnd(56)} ${elapsed(startedAt)}`);

  const step = async (title: string, work: () => Promise<string | void>): Promise<void> => {
    const startedAt = performance.now();
    const detail = await work();
    tell(detail ?? title, startedAt);
  };

  const startDatabase = async (): Promise<string> => {
    if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
    await step(`PostgreSQL ${postgresVersion()} on port ${config.DATABASE_PORT}`, () =>
      keep('postgres', (log) => postgresService(config, log)),
    );
    return postgresUrl(dataDir, config.DATABASE_PORT);
  };

  const startClickHouse = async (): Promise<string | undefined> => {
    if (config.CLICKHOUSE !== 'embedded') return config.CLICKHOUSE_URL;
    await step(`ClickHouse on port ${config.CLICKHOUSE_PORT}`, () =>
      keep('clickhouse', (log) => clickhouseService(config, log)),
    );
    return clickHouseUrlOf(ensureClickHousePassword(dataDir), config.CLICKHOUSE_PORT);
  };

  const startTemporal = async (): Promise<void> => {
    if (config.TEMPORAL_ADDRESS !== undefined) return;
    let binary: TemporalBinary | undefined;
    await step('Temporal', async () => {
      const onProgress = (line: string): void => say(`  Temporal: ${line}`);
      await keep('temporal', (log) => temporalService(config, log, (found) => (binary = found), onProgress));
      stampVersions(dataDir, { temporal: binary?.serverVersion });
      return `Temporal ${binary?.serverVersion} on port ${config.TEMPORAL_PORT}, UI on port ${config.TEMPORAL_UI_PORT}`;
    });
  };

  const bundle = async (): Promise<void> => {
    if (!isBundleFresh()) await step('workflows bundled', () => bundleInChild(aborting.signal));
  };

  const start = async (): Promise<DemoCredentials | undefined> => {
    lock = lockFolder(dataDir);
    const versions = { waymark: waymarkVersion(), postgres: embeddedMajor(config) };
    checkVersions(dataDir, versions);
    tightenSecrets(dataDir, { warn: ({ path }, message) => supervisor.line(`${path}: ${message}`) });
    await Promise.all([stopOrphanPostgres(dataDir), stopOrphanTemporal(dataDir)]);
    await checkPorts(config);
    const preparation = prepareInChild(aborting.signal);
    const bundled = bundle();
    const temporal = startTemporal();
    // Avoids unhandled rejections: both are awaited below.
    for (const promise of [bundled, temporal]) promise.catch(() => {});

    const [databaseUrl, clickhouseUrl] = await Promise.all([startDatabase(), startClickHouse()]);
    // Stamped before the migration: after it an older version cannot read the data.
    stampVersions(dataDir, versions);
    const preparedAt = performance.now();
    const edgeRole = planEdgeRole(config);
    const { platformHost } = createSite({ scheme: config.EDGE_SCHEME, platformDomain: config.PLATFORM_DOMAIN });
    const {
      BOOTSTRAP_API_KEY: apiKey,
      BOOTSTRAP_ADMIN_EMAIL: adminEmail,
      BOOTSTRAP_ADMIN_PASSWORD: adminPassword,
    } = config;
    await preparation.run(
      { databaseUrl, clickhouseUrl, dataDir, wanted: { apiKey, adminEmail, adminPassword }, edgeRole, platformHost },
      (progress) => {
        if (progress.type === 'migrated') tell(`database migrated (${progress.names.length} new)`, preparedAt);
        else if (progress.exists) tell('demo organization', preparedAt);
      },
    );
    if (adminPassword !== undefined && isCommonPassword(adminPassword, [adminEmail])) {
      say(
        '  Warning: BOOTSTRAP_ADMIN_PASSWORD is a password that attackers try first. Change it: npm run waymark -- user set-password',
      );
    }

    const env = childEnvironment(config, databaseUrl, clickhouseUrl);
    const startedAt = performance.now();
    const environments = { api: env, edge: edgeEnvironment(config, env, databaseUrl, edgeRole) };
    const servers = (['api', 'edge'] as const).map((name) =>
      keep(name, (log) =>
        productService(name, { env: withMetricsPort(config, name, environments[name]), onLine: log.line }),
      ),
    );
    const needs = Promise.all([bundled, temporal]);
    const worker = needs.then(() =>
      keep('worker', (log) =>
        productService('worker', { env: withMetricsPort(config, 'worker', env), onLine: log.line }),
      ),
    );
    // The deadline starts after the download or build of Temporal, which may take minutes.
    const late = needs.then(() =>
      sleep(childrenDeadlineMs, 'late', { signal: aborting.signal }).catch(() => 'stopped'),
    );
    const first = await Promise.race([Promise.all([...servers, worker]), late]);
    if (first === 'late')
      throw new StartError(`API, edge and worker do not all serve after ${childrenDeadlineMs / 1000} s.`);
    aborting.signal.throwIfAborted();
    await untilAnswering(config, aborting.signal);
    tell('API, edge and worker', startedAt);
    return readDemoCredentials(dataDir);
  };

  return {
    start,
    failed: failure.promise,
    async stop({ hurry = false } = {}) {
      aborting.abort();
      for (const names of stopOrder) await Promise.all(names.map(async (name) => running.get(name)?.stop({ hurry })));
      lock?.release();
    },
  };
}

function lockFolder(dataDir: string): { release(): void } {
  // PostgreSQL does not run as root and must be able to enter the folder; secrets inside have modes of their own.
  let lock;
  try {
    makeFolder(dataDir, 0o711);
    lock = acquireLock(join(dataDir, 'waymark.lock'));
  } catch (error) {
    throw new StartError(`WAYMARK_DATA_DIR: ${dataDir} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  if (lock.holder === undefined) return lock;
  throw new StartError(
    `Waymark runs on ${dataDir} already (process ${lock.holder}).\n` +
      'Stop that process first, or choose another folder (WAYMARK_DATA_DIR) and other ports for this one.',
  );
}

function embeddedMajor(config: Config): string | undefined {
  return config.DATABASE_URL === undefined ? postgresVersion().split('.')[0] : undefined;
}

async function untilAnswering(config: Config, signal: AbortSignal): Promise<void> {
  const host = localHost(config.HOST);
  const urls = [
    `http://${host}:${config.PORT}/readyz`,
    `http://${host}:${config.EDGE_INTERNAL_PORT ?? config.EDGE_PORT}/.well-known/waymark/readyz`,
  ];
  if (config.TEMPORAL_ADDRESS === undefined) urls.push(`http://127.0.0.1:${config.TEMPORAL_UI_PORT}/`);
  await Promise.all(
    urls.map(async (url) => {
      const deadline = performance.now() + answersDeadlineMs;
      while (!(await isOk(url, probeTimeoutMs))) {
        signal.throwIfAborted();
        if (performance.now() > deadline) throw new StartError(`${url} does not answer as it should.`);
        await sleep(pollMs);
      }
    }),
  );
}

function localHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
