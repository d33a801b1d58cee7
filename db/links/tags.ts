import { v7 as uuidv7 } from 'uuid';
import { foldCase } from '#core/lib/fold-case.ts';
import type { Sql } from '#db/connection/database.ts';
import { containing, offsetOf, type Paging } from '#db/connection/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Tag } from '#db/entities/links.ts';
import { type ChangedLinks, gatheredSlugs } from './notify-changes.ts';

/** Tags of all organizations: `em.getRepository(Tag)`. */
export class TagRepository extends Repository<Tag> {
  /** Makes a tag, to be flushed. @throws at the flush where the name is taken. */
  add(organizationId: string, { name, color }: { name: string; color: string }, now: Date): Tag {
    const dates = { createdAt: now, updatedAt: now };
    return this.create({ id: uuidv7(), organization: organizationId, name, nameKey: foldCase(name), color, ...dates });
  }

  /** Counts an organization's tags, and looks for a name among its tags, without regard to case. */
  async countFor(organizationId: string, name: string): Promise<{ count: number; isTaken: boolean }> {
    const { count, named } = await this.kysely
      .selectFrom('Tag')
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        fn.countAll<number>().filterWhere('nameKey', '=', foldCase(name)).as('named'),
      ])
      .where('organization', '=', organizationId)
      .where('deletedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return { count, isTaken: named > 0 };
  }

  /** Lists an organization's tags, the most recent first. @param search finds names, without regard to case. */
  list(
    organizationId: string,
    { search = '', ...paging }: Paging & { search?: string | undefined },
  ): Promise<[Tag[], number]> {
    return this.findAndCount(
      { nameKey: { $like: containing(foldCase(search)) } },
      { filters: { tenant: { organizationId } }, orderBy: { createdAt: 'desc', id: 'desc' }, ...offsetOf(paging) },
    );
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

// By hand: creates of links that name tags run it (bench row C1).
/** Counts an organization's tags, and finds some by folded name, locking these against deletion. */
export async function holdTags(
  tx: Sql,
  organizationId: string,
  nameKeys: readonly string[],
): Promise<{ count: number; found: { nameKey: string; id: string }[] }> {
  const { rows } = await tx.query<{ count: number; found: { nameKey: string; id: string }[] }>(
    `select (select count(*) from tags where organization_id = $1 and deleted_at is null) as count,
       (select coalesce(json_agg(json_build_object('nameKey', name_key, 'id', id)), '[]')
         from (
           select id, name_key from tags
           where organization_id = $1 and name_key = any($2::text[]) and deleted_at is null
           for key share) t) as found`,
    [organizationId, nameKeys],
  );
  return rows[0]!;
}
