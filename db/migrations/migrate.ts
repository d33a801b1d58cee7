import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrations } from '#db/migrations/index.ts';
import { isConflict, isLockTimeout } from '#db/connection/errors.ts';
import { createMigrationOrm } from '#db/connection/orm.ts';

export { requireSchema } from './schema-version.ts';

// An arbitrary number, the same in every process that migrates.
const migrationLock = 7_290_411_003;
const minimumServerVersion = 170_000;
// A statement that waits for a table's lock lets no later statement pass, not even a read.
const lockTimeoutMs = 1_000;
const lockPauseMs = 1_000;

// The oldest schema that is migrated, and the last commit with the migrations that lead there.
const baseline = migrations[0]!.name;
const lastBeforeBaseline = '35797ff489b187f3f734a82e8693631e3a52ea49';

/** The migration's locks could not be had; those before it are applied. */
export class MigrationLockError extends Error {}

/**
 * Brings the schema up to date, one process at a time (advisory lock), each migration in one transaction. A migration that gets a
 * lock only after others waits a second at most, and tries again after a pause in which statements of running processes pass.
 * @param options.patienceMs How long one migration is tried. Default: ten minutes.
 * @returns names of the migrations that were applied, oldest first.
 * @throws Error when the server is older than PostgreSQL 17, its database has another encoding than UTF-8, or its schema is older than the
 * baseline.
 * @throws MigrationLockError
 */
export async function migrate(databaseUrl: string, { patienceMs = 600_000 } = {}): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await checkServer(client);
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const orm = createMigrationOrm(databaseUrl, { lockTimeoutMs });
    try {
      const pending = (await orm.migrator.getPending()).map(({ name }) => name);
      if (pending.includes(baseline) && (await orm.migrator.getExecuted()).length > 0)
        throw new Error(
          `This database is older than migration ${baseline}: first migrate it with Waymark at commit ${lastBeforeBaseline} (docs/upgrade.md).`,
        );
      for (const name of pending) await applyPatiently(orm, name, patienceMs);
      return pending;
    } finally {
      await orm.close();
    }
  } finally {
    await client.end();
  }
}

async function applyPatiently(orm: MikroORM, name: string, patienceMs: number): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await orm.migrator.up({ migrations: [name] });
      return;
    } catch (error) {
      if (!isLockTimeout(error) && !isConflict(error)) throw error;
      if (performance.now() - startedAt > patienceMs) {
        throw new MigrationLockError(
          `Migration ${name} could not lock a table that other sessions use. End long transactions (pg_stat_activity), then run migrate again.`,
          { cause: error },
        );
      }
    }
    await sleep(lockPauseMs);
  }
}

/** What `migrate` would do to a database, and what it would not mend. */
interface SchemaDifferences {
  /** Names of the migrations that are not applied, oldest first. */
  pending: string[];
  /** Statements that would make the database equal to the entities, in the order in which they would run. */
  statements: string[];
}

/**
 * Compares a database with the migrations and entities of this version; changes nothing. Tables, columns, indexes, foreign keys
 * and checks are compared; functions and triggers are not, since only migrations declare them.
 * @param databaseUrl of a role that reads the catalogue and the table `migrations`.
 */
export async function compareSchema(databaseUrl: string): Promise<SchemaDifferences> {
  const pending = await pendingMigrations(databaseUrl);
  const orm = createMigrationOrm(databaseUrl, { readsOnly: true });
  try {
    const sql = await orm.schema.getUpdateSchemaSQL({ wrap: false });
    const statements = sql.split(/;\n+/).map((statement) => statement.trim().replace(/;$/, ''));
    return { pending, statements: statements.filter((statement) => statement !== '') };
  } finally {
    await orm.close();
  }
}

/** Reads the table of migrations by itself: MikroORM's `getPending` makes it where it is missing. */
async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: known } = await client.query(`select where to_regclass('migrations') is not null`);
    const { rows } =
      known.length === 0 ? { rows: [] } : await client.query<{ name: string }>('select name from migrations');
    const applied = new Set(rows.map(({ name }) => name));
    return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
  );
  const { version, encoding } = rows[0]!;
  if (Number(version) < minimumServerVersion)
    throw new Error(`PostgreSQL 17 or newer is needed; this one is ${version}.`);
  if (encoding !== 'UTF8') throw new Error(`The database must be encoded in UTF8; this one is ${encoding}.`);
}
