import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { createDatabase, type Database, type DatabaseOptions } from '#db/connection/database.ts';
import { type Late, readLate, useFixture } from './fixture.ts';

/** Values of the global set-up, read by `inject('stack')`. */
export interface ProvidedStack {
  /** URL of the server's maintenance database: new databases are made from there. */
  adminUrl: string;
  /** Name of the migrated database that tests copy. */
  template: string;
  temporalAddress: string;
  temporalNamespace: string;
  /** A folder for files, removed at the end of the run. */
  folder: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    stack: ProvidedStack;
  }
}

/** Role and password of the tests' edges, with the rights of an edge in every test database. */
export const edgeRole = 'waymark_test_edge';

/** The URL under which an edge reaches a test database. */
export function edgeUrlOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = edgeRole;
  url.password = edgeRole;
  return url.href;
}

/** For connections of tests: a busy machine takes longer than a caller may wait. */
export const patientMs = 120_000;

/** A database of one test file; `await using` drops it at the end. */
export interface TestDatabase extends AsyncDisposable {
  url: string;
  name: string;
}

/**
 * Copies the migrated template database. Connections that are still open when it is dropped are cut.
 * @param options `isShared`: the end of the run drops it, unless the caller did.
 */
export async function createTestDatabase({ isShared = false } = {}): Promise<TestDatabase> {
  const { adminUrl, template } = inject('stack');
  const suffix = randomUUID().replaceAll('-', '');
  const name = isShared ? `${template}_${suffix.slice(0, 8)}` : `waymark_test_${suffix}`;
  // By files: logging each block, PostgreSQL's default, takes 80 ms of a core in place of 20.
  await admin().query(`create database ${name} template ${template} strategy file_copy`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    name,
    [Symbol.asyncDispose]: async () => void (await admin().query(`drop database if exists ${name} with (force)`)),
  };
}

/** A database of one test file with a pool to it. */
export interface OpenTestDatabase extends Database, AsyncDisposable {
  url: string;
  name: string;
}

/** Opens a database of its own for a file's tests; `options` are those of its pool. */
export function useTestDatabase(options: Late<Omit<DatabaseOptions, 'url'>> = {}): OpenTestDatabase {
  return useFixture(async () => {
    const { url, name, ...database } = await createTestDatabase();
    const db = createDatabase({ url, connectTimeoutMs: patientMs, ...(await readLate(options)) });
    return {
      ...db,
      url,
      name,
      async [Symbol.asyncDispose]() {
        await db.close();
        await database[Symbol.asyncDispose]();
      },
    };
  });
}

/** Where a test finds Temporal; the task queue is its own, so that workers of other files leave its work alone. */
export function temporalForTest(): { address: string; namespace: string; taskQueue: string } {
  const { temporalAddress, temporalNamespace } = inject('stack');
  return { address: temporalAddress, namespace: temporalNamespace, taskQueue: `test-${randomUUID()}` };
}

let adminPool: pg.Pool | undefined;

/** The files of a test process make and drop their databases by the same connections, which do not keep it alive. */
function admin(): pg.Pool {
  adminPool ??= new pg.Pool({ connectionString: inject('stack').adminUrl, max: 2, allowExitOnIdle: true });
  return adminPool;
}
