import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { entities } from '#db/entities/index.ts';
import { migrations } from '#db/migrations/index.ts';

/** Options shared by the running product, the migrations and the tests. */
function ormOptions(databaseUrl: string, overrides: Options = {}): Options {
  return {
    entities,
    clientUrl: databaseUrl,
    // MikroORM reads only host, name and password of the URL, and ignores its TLS options.
    driverOptions: { connectionString: databaseUrl },
    extensions: [Migrator],
    forceUtcTimezone: true,
    pool: { min: 0, max: 4 },
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      silent: true,
      snapshot: false,
      dropTables: false,
    },
    // Migrations create them by hand.
    schemaGenerator: { ignoreRoutines: true },
    ...overrides,
  };
}

/**
 * Opens MikroORM, for migrations and for resources that are not hot. Hot paths use the SQL of `db/` on a pool.
 * @param databaseUrl `postgres://…`
 */
export function createOrm(databaseUrl: string): MikroORM {
  return new MikroORM(ormOptions(databaseUrl));
}
