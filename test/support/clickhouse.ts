import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject, TestRunner } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { type ClickHouse, connectClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { migrateClickHouse } from '#db/clicks/clickhouse/schema.ts';
import { type EmbeddedClickHouse, startClickHouse } from '#scripts/embedded/clickhouse/clickhouse.ts';
import { fetchChdb, findChdb } from '#scripts/embedded/clickhouse/fetch.ts';
import { shareFixture, useFixture } from './fixture.ts';
import { freePorts } from './free-ports.ts';

/** Folder of ClickHouse's packages; undefined where there are none: tests that need them are skipped then. */
export const chdb = TestRunner.matchesTags(['process']) ? find() : undefined;

function find(): string | undefined {
  const { FETCH_TOOLS, WAYMARK_CACHE_DIR } = process.env;
  const { WAYMARK_CACHE_DIR: cacheDir } = loadConfig({ WAYMARK_CACHE_DIR });
  if (FETCH_TOOLS === undefined) {
    const found = findChdb(cacheDir);
    if (found === undefined)
      console.warn('ClickHouse is not in the cache: its tests are skipped. `npm run clickhouse` fetches it.');
    return found;
  }
  try {
    return fetchChdb(cacheDir);
  } catch (error) {
    console.warn(`ClickHouse could not be fetched: its tests are skipped. ${(error as Error).message}`);
    return undefined;
  }
}

/** A ClickHouse of the tests, in a process of its own. */
export interface ClickHouseServer extends AsyncDisposable {
  /** URL of its database `default`. */
  url(): string;
  /** Kills it, without a chance to write anything. */
  kill(): Promise<void>;
  /** Starts it again, with the same data and on the same port. */
  restart(): Promise<void>;
}

/** Starts a server with an empty folder. */
export async function startClickHouseServer(): Promise<ClickHouseServer> {
  const dataDir = mkdtempSync(join(inject('stack').folder, 'clickhouse-'));
  const [port] = await freePorts(1);
  const password = randomUUID();
  const start = (): Promise<EmbeddedClickHouse> => startClickHouse({ packages: chdb!, dataDir, port: port!, password });
  let server = await start();
  const { url } = server;
  return {
    url: () => url,
    async kill() {
      await server.stop({ hurry: true });
    },
    async restart() {
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server.stop({ hurry: true });
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const shareServer = shareFixture(startClickHouseServer);

/** A database with the table of clicks, dropped at the end. */
export interface TestClickHouse extends ClickHouse {
  url: string;
}

/** Opens a database of its own for a file's tests; the files of a test process share a server. */
export function useClickHouse(): TestClickHouse {
  return useFixture(async () => {
    const server = await shareServer();
    const opened = await openClickHouse(server.url());
    return {
      ...opened,
      async [Symbol.asyncDispose]() {
        await opened.execute(`drop database ${new URL(opened.url).pathname.slice(1)} sync`);
        await opened.close();
        await server[Symbol.asyncDispose]();
      },
    };
  });
}

/** Creates a database with the table of clicks on a server. @param serverUrl of its database `default`. */
export async function openClickHouse(serverUrl: string): Promise<TestClickHouse> {
  const url = new URL(serverUrl);
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`;
  const clickhouse = connectClickHouse({ url: url.href, timeoutMs: 60_000, applicationName: 'waymark test' });
  await migrateClickHouse(clickhouse);
  return { ...clickhouse, url: url.href };
}
