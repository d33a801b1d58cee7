import { v7 as uuidv7 } from 'uuid';
import { foldCase } from '#core/lib/fold-case.ts';
import type { Sql } from '#db/connection/database.ts';
import { isForeignKeyViolation } from '#db/connection/errors.ts';
import { containing, offsetOf, type Paging } from '#db/connection/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Folder } from '#db/entities/links.ts';
import { type ChangedLinks, gatherChanged } from './notify-changes.ts';
import { updatedLater } from './update.ts';

/** Folders of all organizations: `em.getRepository(Folder)`. */
export class FolderRepository extends Repository<Folder> {
  /** Makes a folder, to be flushed. @throws at the flush where the name, or the default folder, is there already. */
  add(
    organizationId: string,
    { name, color, isDefault = false }: { name: string; color: string; isDefault?: boolean },
    now: Date,
  ): Folder {
    const dates = { createdAt: now, updatedAt: now };
    const id = uuidv7();
    return this.create({ id, organization: organizationId, name, nameKey: foldCase(name), color, isDefault, ...dates });
  }

  /** Finds an organization's folders by their folded names, and locks them against deletion. */
  async holdNamed(organizationId: string, nameKeys: readonly string[]): Promise<{ id: string; nameKey: string }[]> {
    if (nameKeys.length === 0) return [];
    return this.kysely
      .selectFrom('Folder as f')
      .select(['f.id', 'f.nameKey'])
      .where('f.organization', '=', organizationId)
      .where('f.nameKey', 'in', nameKeys)
      .where('f.deletedAt', 'is', null)
      .forKeyShare()
      .execute();
  }

  /** Removes a deleted folder's row. @returns false while rows of its deleted links exist. */
  async remove(id: string): Promise<boolean> {
    try {
      await this.nativeDelete({ id, deletedAt: { $ne: null } }, { filters: { live: false } });
      return true;
    } catch (error) {
      if (isForeignKeyViolation(error)) return false;
      throw error;
    }
  }

  /** Counts an organization's folders but the default one, and looks for a name among its folders, without regard to case. */
  async countFor(organizationId: string, name: string): Promise<{ count: number; isTaken: boolean }> {
    const { count, named } = await this.kysely
      .selectFrom('Folder')
      .select(({ fn }) => [
        fn.countAll<number>().filterWhere('isDefault', '=', false).as('count'),
        fn.countAll<number>().filterWhere('nameKey', '=', foldCase(name)).as('named'),
      ])
      .where('organization', '=', organizationId)
      .where('deletedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return { count, isTaken: named > 0 };
  }

  /** Lists an organization's folders, the default one first, then the most recent. @param search finds names, without regard to case. */
  list(
    organizationId: string,
    { search = '', ...paging }: Paging & { search?: string | undefined },
  ): Promise<[Folder[], number]> {
    return this.findAndCount(
      { nameKey: { $like: containing(foldCase(search)) } },
      {
        filters: { tenant: { organizationId } },
        orderBy: { isDefault: 'desc', createdAt: 'desc', id: 'desc' },
        ...offsetOf(paging),
      },
    );
  }
}

/** Moves links of a folder to the organization's default one, `limit` at most. @returns how many, and which. */
// By hand: one statement locks, moves and gathers thousands of links (bench row `deletes`).
export async function emptyFolder(
  tx: Sql,
  { id, organizationId }: { id: string; organizationId: string },
  { now, limit }: { now: Date; limit: number },
): Promise<{ count: number; changed: ChangedLinks[] }> {
  const { rows } = await tx.query<{ count: number; changed: ChangedLinks[] | null }>({
    name: 'folders-empty',
    // Lock order: links by id (docs/locks.md).
    text: `with held as materialized (
        select id from short_links where folder_id = $1 and deleted_at is null order by id limit $4 for update
      ), moved as (
        update short_links set ${updatedLater('$3')},
          folder_id = (select id from folders where organization_id = $2 and is_default and deleted_at is null)
        where id in (select id from held)
        returning domain_id, slug)
      select (select count(*) from moved) as count, (select json_agg(c) from (${gatherChanged('moved')}) c) as changed`,
    values: [id, organizationId, now, limit],
  });
  const { count, changed } = rows[0]!;
  return { count, changed: changed ?? [] };
}
