import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { isOk } from '#scripts/lib/is-ok.ts';
import { typeFlags } from '#scripts/lib/node-flags.ts';
import { run } from '#scripts/lib/running.ts';
import { type EmbeddedServer, untilServing } from '#scripts/embedded/until-serving.ts';
import { clickHousePidFile, clickHouseUrlOf } from './running.ts';

const probeTimeoutMs = 1_000;

interface ClickHouseOptions {
  /** Folder of ClickHouse's packages, see `findChdb`. */
  packages: string;
  /** Its data is in `clickhouse/` of this folder. */
  dataDir: string;
  port: number;
  password: string;
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}

export interface EmbeddedClickHouse extends EmbeddedServer {
  /** URL with the password, of the database `default`. */
  url: string;
}

/**
 * Starts ClickHouse on 127.0.0.1. It ends with this process.
 * @returns when it answers.
 * @throws StartError when it does not start.
 */
export async function startClickHouse(options: ClickHouseOptions): Promise<EmbeddedClickHouse> {
  const { packages, dataDir, port, password, onLine, signal } = options;
  const folder = join(dataDir, 'clickhouse');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const running = run({
    command: process.execPath,
    args: [...typeFlags(), join(import.meta.dirname, 'server.ts'), packages, folder, String(port)],
    env: { PATH: process.env.PATH, TZ: 'UTC', CLICKHOUSE_PASSWORD: password },
    stdio: ['pipe', 'pipe', 'pipe'],
    onLine,
  });
  const server = await untilServing({
    name: 'The embedded ClickHouse',
    running,
    // One in a hurry is killed: data that it has answered for is safe.
    stop: ({ hurry = false } = {}) => running.stop(hurry ? [] : [{ signal: 'SIGTERM', waitMs: 5_000 }]),
    isServing: () => isOk(`http://127.0.0.1:${port}/ping`, probeTimeoutMs),
    signal,
  });
  writeFileSync(clickHousePidFile(dataDir), `${server.pid}\n${port}\n`);
  return { ...server, url: clickHouseUrlOf(password, port) };
}
