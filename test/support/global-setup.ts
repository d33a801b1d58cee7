import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { loadConfig } from '#config/load.ts';
import { ensureEdgeRole } from '#db/connection/edge-role.ts';
import { migrate } from '#db/migrations/migrate.ts';
import { bundleWorkflows } from '#scripts/build/workflows.ts';
import { stopOrphanPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal, stopOrphanTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { acquireLock } from '#scripts/lib/lock.mjs';
import { freePorts } from './free-ports.ts';
import { startPostgresOnFreePort } from './postgres.ts';
import { edgeRole, type ProvidedStack } from './stack.ts';

const home = join(findFolder(), 'waymark-test');

/**
 * Starts PostgreSQL and Temporal once for all test files, unless DATABASE_URL or TEMPORAL_ADDRESS name others, migrates
 * the template database and bundles the workflows. @returns the teardown.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => unknown)[] = [];
  const teardown = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    await sweep();
    const dataDir = createDataDir();
    undo.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const [temporalPort] = await freePorts(1);
    const database = async (): Promise<string> => {
      if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
      const server = await startPostgresOnFreePort({ dataDir, fast: true });
      undo.push(() => server.stop({ hurry: true }));
      await hashPasswordOnce(server.url);
      return server.url;
    };
    const temporal = async (): Promise<string> => {
      if (process.env.TEMPORAL_ADDRESS) return process.env.TEMPORAL_ADDRESS;
      const { TEMPORAL_CLI, WAYMARK_CACHE_DIR } = process.env;
      const config = loadConfig({ TEMPORAL_CLI, WAYMARK_CACHE_DIR });
      const onProgress = (line: string): void => console.log(`Temporal: ${line}`);
      const binary = await findTemporalBinary({
        cli: config.TEMPORAL_CLI,
        cacheDir: config.WAYMARK_CACHE_DIR,
        onProgress,
      });
      const server = await startTemporal({ binary: binary.path, dataDir, inMemory: true, port: temporalPort! });
      undo.push(() => server.stop({ hurry: true }));
      return server.address;
    };
    const [adminUrl, temporalAddress] = await Promise.all([database(), temporal(), bundleWorkflows()]);
    const template = `waymark_test_${randomUUID().replaceAll('-', '')}`;
    await execute(adminUrl, `create database ${template}`);
    undo.push(() => dropDatabases(adminUrl, template));
    await migrate(withDatabase(adminUrl, template));
    // Databases that are copied have its grants.
    await ensureEdgeRole(withDatabase(adminUrl, template), edgeRole, edgeRole);
    const temporalNamespace = process.env.TEMPORAL_NAMESPACE ?? 'default';
    const stack: ProvidedStack = { adminUrl, template, temporalAddress, temporalNamespace, folder: dataDir };
    project.provide('stack', stack);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}

/** Creates the folder of this run, with a lock that shows other runs that this one is alive. */
function createDataDir(): string {
  const name = randomUUID();
  const draft = join(home, `.${name}`);
  acquireLock(join(draft, 'test.lock'));
  // Other runs see the folder only from here on, so never without its lock.
  const dataDir = join(home, name);
  renameSync(draft, dataDir);
  return dataDir;
}

/**
 * Finds the folder for the servers' files: on Linux in memory, where that has room. Each test file gets a copy of the template
 * database, which is some 500 files: on ext4 they take 300 ms to create, in memory 10 ms (measured with 600 files).
 */
function findFolder(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    // PostgreSQL keeps up to 1 GiB of WAL, and a few databases of 10 to 100 MB exist at a time.
    return bavail * bsize >= 3 * 1_024 ** 3 ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Ends the servers of killed test runs and removes their folders. */
async function sweep(): Promise<void> {
  mkdirSync(home, { recursive: true, mode: 0o711 });
  for (const name of readdirSync(home).filter((entry) => !entry.startsWith('.'))) {
    const dataDir = join(home, name);
    const lock = acquireLock(join(dataDir, 'test.lock'));
    if (lock.holder !== undefined) continue;
    await Promise.all([stopOrphanPostgres(dataDir), stopOrphanTemporal(dataDir)]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Each of the run's thousands of connections would hash its password 4,096 times: half of what a connection costs its client. */
async function hashPasswordOnce(url: string): Promise<void> {
  const { username, password } = new URL(url);
  await execute(url, `set scram_iterations = 1; alter role ${username} password '${password}'`);
}

/** Drops the template and the databases that files of a test process share, whose names begin with the template's. */
async function dropDatabases(url: string, template: string): Promise<void> {
  const databases = await execute<{ name: string }>(
    url,
    `select datname as name from pg_database where starts_with(datname, '${template}')`,
  );
  for (const { name } of databases) await execute(url, `drop database if exists ${name} with (force)`);
}

async function execute<Row>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
