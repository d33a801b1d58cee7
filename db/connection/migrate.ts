import pg from 'pg';
import { createMigrationOrm } from './orm.ts';

export { requireSchema } from './schema-version.ts';

// An arbitrary number, the same in every process that migrates.
const migrationLock = 7_290_411_003;
const minimumServerVersion = 170_000;

/**
 * Brings the schema up to date, one process at a time (advisory lock), each migration in one transaction.
 * @returns names of the migrations that were applied, oldest first.
 * @throws Error when the server is older than PostgreSQL 17, or its database has another encoding than UTF-8.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await checkServer(client);
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const orm = createMigrationOrm(databaseUrl);
    try {
      const applied = await orm.migrator.up();
      return applied.map((migration) => migration.name);
    } finally {
      await orm.close();
    }
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
