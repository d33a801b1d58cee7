import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '#test/support/free-ports.ts';
import { type App, startApp } from '#bench/lib/app.ts';
import type { BenchOptions } from '#bench/lib/bench.ts';
import {
  type BenchDatabase,
  linkHost,
  makeLinks,
  numberedSlugs,
  prepareDatabase,
  startBenchPostgres,
} from '#bench/lib/database.ts';

/** A server under load. */
export interface Target extends App {
  name: string;
  /** `http://127.0.0.1:3001` */
  url: string;
}

/** PostgreSQL, links and servers for redirects. */
export interface Stage extends AsyncDisposable {
  options: BenchOptions;
  database: BenchDatabase;
  /** Slugs of links without anything special. */
  slugs: readonly string[];
  /** Ids of links by their slugs. */
  ids: ReadonlyMap<string, string>;
  /** Fastify with one route that answers a constant redirect, after one UPDATE in the database where that is given. */
  bare(databaseUrl?: string): Promise<Target>;
  /** Node's own server, which answers a constant redirect. */
  bareHttp(): Promise<Target>;
  /** An edge as `npm start` runs it. */
  edge(): Promise<Target>;
  /** Calls the listener with each line of PostgreSQL's log. */
  onPostgresLine(listener: (line: string) => void): void;
}

const spreadLinks = 10_000;

/** Starts PostgreSQL and makes the links. */
export async function createStage(options: BenchOptions): Promise<Stage> {
  const { folder } = options;
  const listeners: ((line: string) => void)[] = [];
  const postgres = await startBenchPostgres(join(folder, 'data'), (line) => {
    for (const listener of listeners) listener(line);
  });
  const secretKey = randomBytes(32).toString('base64url');
  const targets: Target[] = [];
  const stopAll = async (): Promise<void> => {
    await Promise.all(targets.map((target) => target.stop()));
    await postgres.stop();
  };

  async function start(
    name: string,
    app: Omit<Parameters<typeof startApp>[0], 'name' | 'isMeasured'>,
  ): Promise<Target> {
    const [port] = await freePorts(1);
    const dataDir = join(folder, `${targets.length}`);
    mkdirSync(dataDir);
    const env = { PORT: String(port), EDGE_PORT: String(port), WAYMARK_DATA_DIR: dataDir, ...app.env };
    const started = await startApp({ ...app, env, name, isMeasured: true });
    const target = { ...started, name, url: `http://127.0.0.1:${port}` };
    targets.push(target);
    return target;
  }

  try {
    const database = await prepareDatabase(postgres.url);
    const slugs = numberedSlugs('a', spreadLinks);
    const ids = await makeLinks(database, slugs);
    return {
      options,
      database,
      slugs,
      ids,
      bare: (databaseUrl) =>
        start('bare Fastify', {
          script: 'bench/bare-fastify.ts',
          env: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
        }),
      bareHttp: () => start('empty node:http', { script: 'bench/bare-http.ts', env: {} }),
      edge: () =>
        start('edge', {
          script: 'server.ts',
          env: {
            SERVE: 'edge',
            DATABASE_URL: postgres.url,
            SECRET_KEY: secretKey,
            EDGE_URL: `https://${linkHost}`,
            TRUSTED_PROXIES: '127.0.0.1',
          },
        }),
      onPostgresLine: (listener) => void listeners.push(listener),
      async [Symbol.asyncDispose]() {
        await database.db.close();
        await stopAll();
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
