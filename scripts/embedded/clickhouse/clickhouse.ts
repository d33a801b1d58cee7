import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdirSync, writeFileSync } from 'node:fs';
import { isOk } from '#scripts/lib/is-ok.ts';
import { typeFlags } from '#scripts/lib/node-flags.ts';
import { describeExit, type Exit, run } from '#scripts/lib/running.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { clickHousePidFile, clickHouseUrlOf } from './running.ts';

const startDeadlineMs = 60_000;
const pollMs = 30;
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

/** A running embedded ClickHouse. */
export interface EmbeddedClickHouse {
  /** URL with the password, of the database `default`. */
  url: string;
  pid: number;
  /** Resolves when the process exits; never rejects. */
  exited: Promise<Exit>;
  /** Stops the server. `hurry` kills it: data that it has answered for is safe. */
  stop(options?: { hurry?: boolean }): Promise<Exit>;
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
  const lines: string[] = [];
  const running = run({
    command: process.execPath,
    args: [...typeFlags(), join(import.meta.dirname, 'server.ts'), packages, folder, String(port)],
    env: { PATH: process.env.PATH, TZ: 'UTC', CLICKHOUSE_PASSWORD: password },
    stdio: ['pipe', 'pipe', 'pipe'],
    onLine: (line) => {
      lines.push(line);
      if (lines.length > 20) lines.shift();
      onLine?.(line);
    },
  });
  const stop = ({ hurry = false } = {}): Promise<Exit> =>
    running.stop(hurry ? [] : [{ signal: 'SIGTERM', waitMs: 5_000 }]);
  let exit: Exit | undefined;
  void running.exited.then((how) => (exit = how));
  const deadline = performance.now() + startDeadlineMs;
  while (!(await isOk(`http://127.0.0.1:${port}/ping`, probeTimeoutMs))) {
    if (exit === undefined && signal?.aborted !== true && performance.now() < deadline) {
      await sleep(pollMs);
      continue;
    }
    const how = await stop({ hurry: true });
    throw new StartError(`The embedded ClickHouse did not start: ${describeExit(how)}\n${lines.join('\n')}`);
  }
  writeFileSync(clickHousePidFile(dataDir), `${running.pid}\n${port}\n`);
  return {
    url: clickHouseUrlOf(password, port),
    pid: running.pid!,
    exited: running.exited,
    stop,
  };
}
