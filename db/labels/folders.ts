import { sql } from 'kysely';
import { uuidv7 } from '#core/lib/uuid.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { unlessReferenced } from '#db/connection/errors.ts';
import { type CursorPaging, containing, olderThan } from '#db/connection/lists/paging.ts';
import type { Folder } from '#db/entities/links/links.ts';
import { NamedRepository } from './named.ts';
import { type ChangedLinks, gatheredSlugs } from '#db/links/notify-changes.ts';
import { updatedLater } from '#db/links/short-links.ts';

export class FolderRepository extends NamedRepository<Folder> {
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

  /** Removes a deleted folder's row. @returns false while rows of its deleted links exist. */
  remove(id: string): Promise<boolean> {
    return unlessReferenced(this.nativeDelete({ id, deletedAt: { $ne: null } }, { filters: { live: false } }));
  }

  /**
   * Lists an organization's folders, the default one first, then the most recent, and one more than `limit` where a page follows.
   * @param query `search` finds names, without regard to case; `among`: only folders with these ids, null: all.
   */
  list(
    organizationId: string,
    {
      search = '',
      among,
      after,
      ...paging
    }: CursorPaging & { search?: string | undefined; among: readonly string[] | null },
  ): Promise<[Folder[], number]> {
    return this.findPage(
      { nameKey: { $like: containing(foldCase(search)) }, ...(among !== null && { id: { $in: [...among] } }) },
      { ...paging, after },
      // No page begins with the default folder but the first.
      after && { isDefault: false, ...olderThan(after) },
      { filters: { tenant: { organizationId } }, orderBy: { isDefault: 'desc', createdAt: 'desc', id: 'desc' } },
    );
  }

  /** Moves links of a folder to the organization's default one, `limit` at most. @returns how many, and which. */
  async empty(
    { id, organizationId }: { id: string; organizationId: string },
    { now, limit }: { now: Date; limit: number },
  ): Promise<{ count: number; changed: ChangedLinks[] }> {
    const changed = await this.kysely
      // Lock order: links by id (docs/locks.md).
      .with('held', (db) =>
        db
          .selectFrom('ShortLink')
          .select('id')
          .where('folder', '=', id)
          .where('deletedAt', 'is', null)
          .orderBy('id')
          .limit(limit)
          .forUpdate(),
      )
      .with('moved', (db) =>
        db
          .updateTable('ShortLink')
          .set(({ selectFrom }) => ({
            folder: selectFrom('Folder')
              .select('id')
              .where('organization', '=', organizationId)
              .where('isDefault', '=', true)
              .where('deletedAt', 'is', null),
            updatedAt: updatedLater(now),
          }))
          .where('id', 'in', db.selectFrom('held').select('id'))
          .returning(['domain as domainId', 'slug']),
      )
      .selectFrom('moved')
      .select(['domainId', gatheredSlugs, sql<number>`count(*)`.as('count')])
      .groupBy('domainId')
      .execute();
    return { count: changed.reduce((sum, { count }) => sum + count, 0), changed };
  }
}
