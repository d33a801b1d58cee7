import type { Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createEntityManager } from '#db/connection/orm.ts';

const managers = new WeakMap<Database, EntityManager>();

/** A new fork of the entity manager of a test's database. */
export function emOf(db: Database): EntityManager {
  let manager = managers.get(db);
  if (manager === undefined) {
    manager = createEntityManager(db);
    managers.set(db, manager);
  }
  return manager.fork();
}
