import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connectTemporal } from '#adapters/temporal/client.ts';
import { ensureDemo } from '#commands/organizations/demo.ts';
import { loadConfig } from '#config/load.ts';
import { createApiKey } from '#core/organizations/api-key.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { migrate } from '#db/migrations/migrate.ts';
import { bundleWorkflows } from '#scripts/build/workflows.ts';
import { describeExit } from '#scripts/lib/running.ts';
import { postgresUrl } from '#scripts/embedded/postgres/postgres.ts';
import { postgresService, productService, temporalService } from '#scripts/supervisor/processes.ts';
import { type Service, supervise, type Supervised } from '#scripts/supervisor/supervise.ts';

/** Components to kill, in the order of the table. */
export const components = ['edge', 'api', 'worker', 'temporal', 'postgres'] as const;

/** A part of Waymark that is a process. */
export type Component = (typeof components)[number];

/** A whole Waymark of its own: its processes are real, and started again when they die, as `npm start` does it. */
export interface KillStack extends AsyncDisposable {
  /** The database, reached directly. */
  db: Database;
  apiUrl: string;
  /** An API key with every permission that links need. */
  apiKey: string;
  edgeUrl: string;
  /** Host and port under which the edge serves the links. */
  edgeHost: string;
  /** Host whose URLs count as malware; all other URLs are clean. */
  flaggedHost: string;
  /** Journals in the data folder: the edge's own, and those left behind. */
  journals(): string[];
  /** How far the edge's own clicks are behind the database, in milliseconds. */
  shippingLagMs(): Promise<number>;
  /** Process id of a component; undefined: it does not run now. */
  pid(component: Component): number | undefined;
  /**
   * Kills a component by SIGKILL; it is started again after `pauseMs` (a second).
   * @returns `back` resolves when it serves again.
   */
  kill(component: Component, pauseMs?: number): { back: Promise<void> };
  /** Starts a run of `housekeeping` that else comes every ten minutes; a run under way goes on. @throws while Temporal is down. */
  runHousekeeping(): Promise<void>;
}

interface KillStackOptions {
  /** An existing folder for its data; the caller removes it. */
  folder: string;
  /** Five free ports. */
  ports: readonly number[];
  /** Further environment variables. */
  env?: NodeJS.ProcessEnv;
  onLine?: (component: Component, line: string) => void;
  /** Whether the worker has a low priority, as that of `npm start`. Default: true. */
  hasSlowWorker?: boolean;
}

const restartMs = 1_000;
const startDeadlineMs = 180_000;
const callMs = 5_000;
const manyCalls = '1000000000';
const flaggedHost = 'flagged.example';
const stopOrder: readonly Component[][] = [['edge', 'api'], ['worker'], ['temporal'], ['postgres']];

/** Starts every component; resolves when all of them serve. */
export async function startKillStack({
  folder,
  ports,
  env: extra,
  onLine,
  hasSlowWorker = true,
}: KillStackOptions): Promise<KillStack> {
  // PostgreSQL does not run as root and must be able to traverse the folder.
  chmodSync(folder, 0o711);
  const webRisk = await startSlowWebRisk();
  const settings: NodeJS.ProcessEnv = {
    ...kept(['PATH', 'HOME', 'XDG_CACHE_HOME', 'WAYMARK_CACHE_DIR', 'TEMPORAL_CLI']),
    WAYMARK_DATA_DIR: folder,
    PORT: String(ports[0]),
    EDGE_PORT: String(ports[1]),
    DATABASE_PORT: String(ports[2]),
    TEMPORAL_PORT: String(ports[3]),
    TEMPORAL_UI_PORT: String(ports[4]),
    WEB_RISK_ENDPOINT: webRisk.url,
    RATE_LIMIT_PER_SECOND: manyCalls,
    RATE_LIMIT_PER_MINUTE: manyCalls,
    LOG_LEVEL: 'warn',
    ...extra,
  };
  const config = loadConfig(settings);
  const running = new Map<Component, Supervised>();
  const pauses = new Map<Component, number>();
  const returns = new Map<Component, () => void>();
  const apiKey = createApiKey();

  const logOf = (component: Component) => ({
    line: (text: string) => onLine?.(component, text),
    tail: () => [],
  });

  const keep = async (service: Service): Promise<void> => {
    const name = service.name as Component;
    const { promise: death, reject: die } = Promise.withResolvers<never>();
    death.catch(() => {});
    const supervised = supervise(service, {
      onDeath: (exit) => {
        onLine?.(name, describeExit(exit));
        die(exit.error ?? new Error(`${name} ${describeExit(exit)}`));
      },
      onReturn: () => returns.get(name)?.(),
      onGiveUp: () => {},
      policy: { died: () => ({ pauseMs: pauses.get(name) ?? restartMs }) },
    });
    running.set(name, supervised);
    const late = new Promise<never>((_resolve, reject) => {
      setTimeout(
        () => reject(new Error(`${name} does not serve after ${startDeadlineMs} ms`)),
        startDeadlineMs,
      ).unref();
    });
    await Promise.race([supervised.ready, death, late]);
  };

  const stop = async (): Promise<void> => {
    for (const names of stopOrder) await Promise.all(names.map(async (name) => running.get(name)?.stop()));
    await webRisk[Symbol.asyncDispose]();
  };

  let db: Database | undefined;
  try {
    await Promise.all([
      keep(postgresService(config, logOf('postgres'))),
      keep(
        temporalService(
          config,
          logOf('temporal'),
          () => {},
          (line) => onLine?.('temporal', line),
        ),
      ),
      bundleWorkflows(),
    ]);
    const databaseUrl = postgresUrl(config.WAYMARK_DATA_DIR, config.DATABASE_PORT);
    await migrate(databaseUrl);
    await ensureDemo(databaseUrl, { apiKey, adminEmail: 'admin@waymark.localhost', adminPassword: createApiKey() });
    db = createDatabase({ url: databaseUrl, applicationName: 'waymark kill' });
    const env = {
      ...settings,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: randomBytes(32).toString('base64url'),
      TEMPORAL_ADDRESS: `127.0.0.1:${config.TEMPORAL_PORT}`,
    };
    await Promise.all(
      (['api', 'edge', 'worker'] as const).map((name) =>
        keep(productService(name, { env, onLine: logOf(name).line, isBackground: name === 'worker' && hasSlowWorker })),
      ),
    );
  } catch (error) {
    await db?.close();
    await stop();
    throw error;
  }

  return {
    db,
    apiKey,
    flaggedHost,
    apiUrl: `http://127.0.0.1:${config.PORT}`,
    edgeUrl: `http://127.0.0.1:${config.EDGE_PORT}`,
    edgeHost: config.PLATFORM_DOMAIN,
    journals: () => readdirSync(join(folder, 'journal')).filter((name) => !name.startsWith('.')),
    async shippingLagMs() {
      const response = await fetch(`http://127.0.0.1:${config.EDGE_PORT}/.well-known/waymark/readyz`);
      return ((await response.json()) as { journal: { lagMs: number } }).journal.lagMs;
    },
    pid: (component) => running.get(component)!.pid,
    kill(component, pauseMs = restartMs) {
      const { pid } = running.get(component)!;
      if (pid === undefined) throw new Error(`${component} does not run`);
      pauses.set(component, pauseMs);
      const back = new Promise<void>((resolve) => returns.set(component, resolve));
      process.kill(pid, 'SIGKILL');
      return { back };
    },
    async runHousekeeping() {
      const { TEMPORAL_PORT: port, TEMPORAL_NAMESPACE: namespace } = config;
      const client = await connectTemporal({ address: `127.0.0.1:${port}`, namespace });
      try {
        await client.withDeadline(Date.now() + callMs, () => client.schedule.getHandle('housekeeping').trigger());
      } finally {
        await client.connection.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await stop();
    },
  };
}

/** The variables of this process that children get as well. */
function kept(names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

const leastLookupMs = 50;
const mostLookupMs = 500;
const expireInMs = 3_600_000;

/** Starts a Web Risk, slow so that a fault finds lookups under way: URLs of `flaggedHost` are malware, all others are clean. */
async function startSlowWebRisk(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const uri = new URL(request.url ?? '', 'http://localhost').searchParams.get('uri') ?? '';
    const isFlagged = URL.canParse(uri) && new URL(uri).hostname === flaggedHost;
    const expireTime = new Date(Date.now() + expireInMs).toISOString();
    const answer = isFlagged ? { threat: { threatTypes: ['MALWARE'], expireTime } } : {};
    const timer = setTimeout(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      leastLookupMs + Math.random() * (mostLookupMs - leastLookupMs),
    );
    response.on('close', () => clearTimeout(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
