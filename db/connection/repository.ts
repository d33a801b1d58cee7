import { EntityRepository, type FilterQuery } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { EntityManager, Tables } from './entity-manager.ts';

/** How strongly a row is locked: `no key update` and `key share` let rows that refer to it be inserted meanwhile. */
type RowLock = 'update' | 'no key update' | 'share' | 'key share';

/** The base of repositories of entities with an `id`. */
export class Repository<Entity extends object> extends EntityRepository<Entity> {
  /** Kysely on the connection of the entity manager. Filters of entities do not apply to it. */
  protected get kysely(): Kysely<Tables> {
    return (this.em as EntityManager).kysely;
  }

  /** Locks a live row until the end of the transaction, then reads it anew. */
  async hold(id: string, lock: RowLock = 'update'): Promise<Entity | null> {
    // By hand: MikroORM has no name for the locks that leave foreign keys alone.
    const { tableName } = this.em.getMetadata().get(this.entityName);
    await (this.em as EntityManager).query(`select from ${tableName} where id = $1 for ${lock}`, [id]);
    return this.findOne({ id } as FilterQuery<Entity>, { refresh: true });
  }
}
