import { Migrator } from '@mikro-orm/migrations';
import {
  Configuration,
  defineConfig,
  type MetadataStorage,
  MikroORM,
  type Options,
  type PostgreSqlDriver,
} from '@mikro-orm/postgresql';
import { entities } from '#db/entities.ts';
import { migrations } from '#db/migrations/index.ts';
import { useRepositories } from '#db/repositories.ts';
import type { Database } from './database.ts';
import { EntityManager, kyselyOnPool } from './entity-manager.ts';

const shared = {
  entities: [...entities],
  entityManager: EntityManager,
  forceUtcTimezone: true,
  // `migrate` looks at the server; a process that serves only connects.
  ensureDatabase: false,
  // A filter applies to the entity that is asked for, and to relations that are populated; it adds no join for the others.
  autoJoinRefsForFilters: false,
} satisfies Options;

const pooled = { ...shared, dbName: 'of the pool' } satisfies Options;
let metadata: MetadataStorage | undefined;

/**
 * Creates the entity manager of a process on its pool; it serves only to be forked. Nothing is read or connected here.
 * @param database closes the pool.
 */
export function createEntityManager(database: Database): EntityManager {
  useRepositories();
  // Once a process: it takes 40 ms, and a command of the CLI has three pools.
  metadata ??= new MikroORM(pooled).getMetadata();
  const options = defineConfig({ ...pooled, driverOptions: () => kyselyOnPool(database) });
  const driver = new Configuration<PostgreSqlDriver, EntityManager>(options).getDriver();
  driver.setMetadata(metadata);
  // `global` makes MikroORM refuse everything but `fork`.
  const em = Object.assign(driver.createEntityManager() as EntityManager, { global: true });
  return em.useDatabase(database);
}

/**
 * Opens MikroORM on connections of its own, for migrations and for a comparison of entities and database.
 * @param databaseUrl `postgres://…`
 * @param options.readsOnly PostgreSQL refuses every write of these connections.
 * @param options.lockTimeoutMs How long a statement waits for a lock; 0: without end.
 */
export function createMigrationOrm(databaseUrl: string, { readsOnly = false, lockTimeoutMs = 0 } = {}): MikroORM {
  return new MikroORM({
    ...shared,
    clientUrl: databaseUrl,
    // MikroORM reads only host, name and password of the URL, and ignores its TLS options.
    driverOptions: {
      connectionString: databaseUrl,
      lock_timeout: lockTimeoutMs,
      ...(readsOnly && { options: '-c default_transaction_read_only=on' }),
    },
    extensions: [Migrator],
    pool: { min: 0, max: 4 },
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      // One transaction for all of them would hold the locks of the first until the last has ended.
      allOrNothing: false,
      silent: true,
      snapshot: false,
      dropTables: false,
    },
    // Migrations create them by hand.
    schemaGenerator: { ignoreRoutines: true },
  });
}
