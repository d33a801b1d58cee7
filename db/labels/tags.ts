import { uuidv7 } from '#core/lib/uuid.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { type CursorPaging, containing, olderThan } from '#db/connection/lists/paging.ts';
import type { Tag } from '#db/entities/links/links.ts';
import { NamedRepository } from './named.ts';
import { type ChangedLinks, gatheredSlugs } from '#db/links/notify-changes.ts';

export class TagRepository extends NamedRepository<Tag> {
  /** Makes a tag, to be flushed. @throws at the flush where the name is taken. */
  add(organizationId: string, { name, color }: { name: string; color: string }, now: Date): Tag {
    const dates = { createdAt: now, updatedAt: now };
    return this.create({ id: uuidv7(), organization: organizationId, name, nameKey: foldCase(name), color, ...dates });
  }

  /**
   * Lists an organization's tags, the most recent first, and one more than `limit` where a page follows.
   * @param search finds names, without regard to case.
   */
  list(
    organizationId: string,
    { search = '', ...paging }: CursorPaging & { search?: string | undefined },
  ): Promise<[Tag[], number]> {
    return this.findPage(
      { nameKey: { $like: containing(foldCase(search)) } },
      paging,
      paging.after && olderThan(paging.after),
      { filters: { tenant: { organizationId } }, orderBy: { createdAt: 'desc', id: 'desc' } },
    );
  }

  /** Counts the links of tags. @returns by id; tags without links are not among them. */
  async countLinks(ids: readonly string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.kysely
      .selectFrom('LinkTag as t')
      .innerJoin('ShortLink as l', 'l.id', 't.link')
      .select(({ fn }) => ['t.tag as id', fn.countAll<number>().as('links')])
      .where('t.tag', 'in', ids)
      .where('l.deletedAt', 'is', null)
      .groupBy('t.tag')
      .execute();
    return new Map(rows.map(({ id, links }) => [id, links]));
  }

  /** Takes a tag off its links. @returns the links that had it. */
  takeOff(id: string): Promise<ChangedLinks[]> {
    return this.kysely
      .with('untagged', (db) => db.deleteFrom('LinkTag').where('tag', '=', id).returning('link as linkId'))
      .selectFrom('untagged')
      .innerJoin('ShortLink as l', 'l.id', 'untagged.linkId')
      .select(['l.domain as domainId', gatheredSlugs])
      .where('l.deletedAt', 'is', null)
      .groupBy('l.domain')
      .execute();
  }
}
