import { foldCase } from '#core/lib/text/fold-case.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Folder, Tag } from '#db/entities/links/links.ts';

/** The base of folders and tags, whose names an organization has once, without regard to case. */
export class NamedRepository<Entity extends Folder | Tag> extends Repository<Entity> {
  /** Finds an organization's rows by their folded names, and locks them against deletion. */
  async holdNamed(organizationId: string, nameKeys: readonly string[]): Promise<{ id: string; nameKey: string }[]> {
    if (nameKeys.length === 0) return [];
    return this.#liveOf(organizationId)
      .select(['id', 'nameKey'])
      .where('nameKey', 'in', nameKeys)
      .forKeyShare()
      .execute();
  }

  /** Counts an organization's rows, the default folder among them, and looks for a name. */
  async countFor(organizationId: string, name: string): Promise<{ count: number; isTaken: boolean }> {
    const { count, named } = await this.#liveOf(organizationId)
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        fn.countAll<number>().filterWhere('nameKey', '=', foldCase(name)).as('named'),
      ])
      .executeTakeFirstOrThrow();
    return { count, isTaken: named > 0 };
  }

  #liveOf(organizationId: string) {
    // Both have the columns that are asked for here.
    const { className } = this.em.getMetadata().get(this.entityName);
    return this.kysely
      .selectFrom(className as 'Folder' | 'Tag')
      .where('organization', '=', organizationId)
      .where('deletedAt', 'is', null);
  }
}
