import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configSections } from '#config/schema.ts';
import { processMark } from '#scripts/lib/lock.mjs';
import { root } from '#scripts/lib/paths.ts';
import { freePorts } from './free-ports.ts';

const portNames = ['PORT', 'EDGE_PORT', 'DATABASE_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT'] as const;
const kept = new Set(['TEMPORAL_CLI', 'WAYMARK_CACHE_DIR']);
const settings = Object.values(configSections)
  .flatMap((section) => Object.keys(section))
  .filter((name) => !kept.has(name));
const pollMs = 50;

/** A folder and ports for `npm start`; `await using` removes the folder. */
export interface Home extends AsyncDisposable {
  dataDir: string;
  ports: Record<(typeof portNames)[number], number>;
}

/** One run of `npm start`; `await using` ends it, at once, where the test did not. */
export interface NpmStart extends AsyncDisposable {
  /** Process id of npm. */
  pid: number;
  /** The whole output so far. */
  output(): string;
  /** Waits until it has printed a whole line that matches. @throws with its output when it ends before, or takes long. */
  line(pattern: RegExp): Promise<string>;
  /** Value of a row of the summary, for instance `API key`. */
  row(name: string): string;
  /** Process id of the supervisor, as its lock says. */
  supervisor(): number;
  /** Resolves with npm's exit code. */
  exited: Promise<number | null>;
}

/** Makes a data folder and picks free ports. */
export async function createHome(): Promise<Home> {
  const dataDir = mkdtempSync(join(tmpdir(), 'waymark-start-'));
  const free = await freePorts(portNames.length);
  const ports = Object.fromEntries(portNames.map((name, index) => [name, free[index]!])) as Home['ports'];
  return { dataDir, ports, [Symbol.asyncDispose]: async () => rmSync(dataDir, { recursive: true, force: true }) };
}

/** Changes of a run against the default one. */
export interface NpmStartOptions {
  /** The checkout. Default: this one. */
  cwd?: string;
  /** The environment that it is run in, apart from settings. Default: this process's. */
  env?: NodeJS.ProcessEnv;
  /** Arguments of the start itself. */
  args?: readonly string[];
  /** How long `line` waits. Default: three minutes. */
  deadlineMs?: number;
}

/** Runs `npm start` of a checkout as a terminal would: npm and all it starts are one process group. */
export function npmStart(
  { dataDir, ports }: Home,
  extra: NodeJS.ProcessEnv = {},
  options: NpmStartOptions = {},
): NpmStart {
  const { cwd = root, args = [], deadlineMs = 180_000 } = options;
  const env: NodeJS.ProcessEnv = { ...(options.env ?? process.env) };
  // Leaves out the variables of Vitest (BASE_URL, NODE_ENV) and the suite's replacements of the embedded servers.
  for (const name of ['NODE_ENV', 'VITEST', ...settings]) delete env[name];
  Object.assign(env, extra, { WAYMARK_DATA_DIR: dataDir });
  for (const name of portNames) env[name] = String(ports[name]);
  const child = spawn('npm', ['start', '--', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  let code: number | null | undefined;
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (exitCode) => resolve((code = exitCode)));
  });
  const lines = (): string[] => text.split('\n').slice(0, -1);
  const supervisor = (): number =>
    (JSON.parse(readFileSync(join(dataDir, 'waymark.lock'), 'utf8')) as { pid: number }).pid;
  return {
    pid: child.pid!,
    output: () => text,
    exited,
    supervisor,
    async line(pattern) {
      const deadline = performance.now() + deadlineMs;
      for (;;) {
        const isOver = code !== undefined;
        const found = lines().find((line) => pattern.test(line));
        if (found !== undefined) return found;
        if (isOver || performance.now() > deadline)
          throw new Error(`npm start printed no ${String(pattern)}:\n${text}`);
        await sleep(pollMs);
      }
    },
    row(name) {
      const value = new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(text)?.[1];
      if (value === undefined) throw new Error(`the summary has no ${name}:\n${text}`);
      return value;
    },
    async [Symbol.asyncDispose]() {
      if (code !== undefined) return;
      process.kill(-child.pid!, 'SIGTERM');
      await exited;
      while (existsSync(join(dataDir, 'waymark.lock')) && processMark(supervisor()) !== undefined) await sleep(pollMs);
    },
  };
}
