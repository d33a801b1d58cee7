import { EntityRepository } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { EntityManager, Tables } from './entity-manager.ts';

/** The base of repositories. */
export class Repository<Entity extends object> extends EntityRepository<Entity> {
  /** Kysely on the connection of the entity manager. Filters of entities do not apply to it. */
  protected get kysely(): Kysely<Tables> {
    return (this.em as EntityManager).kysely;
  }
}
