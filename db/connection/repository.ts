import { EntityRepository, type FilterQuery, type FindOptions } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { EntityManager, Tables } from './entity-manager.ts';
import { type CursorPaging, offsetOf } from './lists/paging.ts';

/** How strongly a row is locked: `no key update` and `key share` let rows that refer to it be inserted meanwhile. */
type RowLock = 'update' | 'no key update' | 'share' | 'key share';

export class Repository<Entity extends object> extends EntityRepository<Entity> {
  /** Kysely on the connection of the entity manager. Filters of entities do not apply to it. */
  protected get kysely(): Kysely<Tables> {
    return (this.em as EntityManager).kysely;
  }

  /**
   * Finds a page and counts all rows that match. One row more than `limit` tells that a page follows.
   * @param beyond what is true of the rows after `after`.
   */
  protected async findPage(
    where: FilterQuery<Entity>,
    { after, limit, page }: CursorPaging,
    beyond: FilterQuery<Entity> | undefined,
    options: Pick<FindOptions<Entity>, 'filters' | 'orderBy'>,
  ): Promise<[Entity[], number]> {
    const { offset } = offsetOf({ limit, page });
    const paging = { limit: limit + 1, offset: after === undefined ? offset : 0 };
    if (beyond === undefined) return this.findAndCount(where, { ...options, ...paging });
    const rows = await this.find({ $and: [where, beyond] } as FilterQuery<Entity>, { ...options, ...paging });
    const { filters } = options;
    return [rows, await this.count(where, filters === undefined ? {} : { filters })];
  }

  /** Locks a live row until the end of the transaction, then reads it anew. */
  async hold(id: string, lock: RowLock = 'update'): Promise<Entity | null> {
    // By hand: MikroORM has no name for the locks that leave foreign keys alone.
    const { tableName } = this.em.getMetadata().get(this.entityName);
    await (this.em as EntityManager).query(`select from ${tableName} where id = $1 for ${lock}`, [id]);
    return this.findOne({ id } as FilterQuery<Entity>, { refresh: true });
  }
}
