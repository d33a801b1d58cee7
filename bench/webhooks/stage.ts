import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSealing } from '#adapters/sealing.ts';
import { loadConfig } from '#config/load.ts';
import { bundleWorkflows } from '#scripts/bundle-workflows.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { type App, startApp } from '#bench/lib/app.ts';
import type { BenchOptions } from '#bench/lib/bench.ts';
import { type BenchDatabase, linkHost, makeLinks, prepareDatabase, startBenchPostgres } from '#bench/lib/database.ts';
import { createHooks, type Hooks } from './hooks.ts';

/** Bytes of each event: a choice, the size of a long link.created. */
export const bodyBytes = 700;

/** The processes of a benchmark: receiver, PostgreSQL and Temporal share a core, the worker has one of its own. */
export interface Stage extends AsyncDisposable {
  options: BenchOptions;
  database: BenchDatabase;
  hooks: Hooks;
  /** Slugs of the thousand links. */
  slugs: readonly string[];
  worker: App;
  /** Starts an edge on the receiver's core. */
  edge(): Promise<App & { url: string }>;
}

const links = 1_000;

export async function createStage(options: BenchOptions): Promise<Stage> {
  const { folder, signal } = options;
  const dataDir = join(folder, 'data');
  const [temporalPort, receiverPort, edgePort] = await freePorts(3);
  const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = loadConfig({ ...process.env, WAYMARK_DATA_DIR: dataDir });
  const binary = await findTemporalBinary({ cli, cacheDir, onProgress: (line) => console.log(line), signal });
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.toReversed()) await step();
  };

  try {
    await bundleWorkflows();
    const temporal = await startTemporal({ binary: binary.path, dataDir, port: temporalPort!, signal });
    closing.push(() => temporal.stop());
    const postgres = await startBenchPostgres(dataDir);
    closing.push(() => postgres.stop());
    const database = await prepareDatabase(postgres.url);
    closing.push(() => database.db.close());
    const slugs = Array.from({ length: links }, (_, index) => `w${index}`);
    await makeLinks(database, slugs);
    await database.db.query('truncate outbox');

    const origin = `https://127.0.0.1:${receiverPort}`;
    const tls = makeCertificates(folder);
    const start = async (app: Omit<Parameters<typeof startApp>[0], 'signal'>): Promise<App> => {
      const started = await startApp(app);
      closing.push(() => started.stop());
      return started;
    };
    await start({
      name: 'receiver',
      script: 'bench/webhooks/receiver.ts',
      env: { PORT: String(receiverPort), TLS_CERT: tls.cert, TLS_KEY: tls.key },
      isMeasured: false,
    });
    const secretKey = randomBytes(32).toString('base64url');
    const env: NodeJS.ProcessEnv = {
      DATABASE_URL: database.url,
      SECRET_KEY: secretKey,
      TEMPORAL_ADDRESS: temporal.address,
      PLATFORM_DOMAIN: linkHost,
      WAYMARK_DATA_DIR: join(folder, 'worker'),
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: tls.ca,
    };
    mkdirSync(join(folder, 'worker'));
    const worker = await start({ name: 'worker', script: 'worker.ts', env, isMeasured: true });

    return {
      options,
      database,
      slugs,
      worker,
      hooks: createHooks(database, { origin, caFile: tls.ca, sealing: createSealing([secretKey]), bodyBytes }),
      async edge() {
        const own = join(folder, 'edge');
        mkdirSync(own);
        const app = await start({
          name: 'edge',
          script: 'server.ts',
          env: {
            ...env,
            SERVE: 'edge',
            EDGE_PORT: String(edgePort),
            WAYMARK_DATA_DIR: own,
            TRUSTED_PROXIES: '127.0.0.1',
          },
          isMeasured: false,
        });
        return { ...app, url: `http://127.0.0.1:${edgePort}` };
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Writes PEM files of a root and its certificate for 127.0.0.1. @returns their paths. */
function makeCertificates(folder: string): { ca: string; cert: string; key: string } {
  const authority = createAuthority('Waymark bench root');
  const { cert, key } = authority.issue(['127.0.0.1']);
  const paths = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(paths.ca, authority.cert);
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key, { mode: 0o600 });
  return paths;
}
