import { type InferEntity, raw } from '@mikro-orm/postgresql';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Deletion } from '#db/entities/installation.ts';
import { enqueue } from '#db/outbox.ts';
import { dueAfter } from '#db/outbox-rows.ts';

// The table, the outbox kind and the workflows' input keep the older word for a deletion, purge.

/** A deletion whose rows are still to be removed. */
export type DeletionRow = Omit<InferEntity<typeof Deletion>, 'toldTo' | 'dueAt' | 'linksRemoved'>;

/** Bounds of `told_to`, below and above all ids: `link.deleted` is out for no link, and for all. */
export const [firstId, lastId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * Stores a deletion whose rows a workflow removes, in the transaction that deletes.
 * @param toldTo the last of its links for which `link.deleted` is out.
 */
export async function insertDeletion(em: EntityManager, draft: DeletionRow & { toldTo: string }): Promise<void> {
  await em.kysely
    .insertInto('Deletion')
    .values({ ...draft, dueAt: dueAfter() })
    .execute();
  await enqueue(em, 'purge', [draft.id]);
}

/**
 * Reads the deletions whose workflows are to be started; finished ones are left out. For operators: the first 40 links, and
 * names of the first two links, of the domain, the folder, or the organization.
 */
export async function listDeletionTargets(em: EntityManager, ids: readonly string[]) {
  const deletions = await em.kysely
    .selectFrom('Deletion as p')
    .leftJoin('Domain as d', 'd.id', 'p.id')
    .leftJoin('Folder as f', 'f.id', 'p.id')
    .leftJoin('Organization as o', 'o.id', 'p.id')
    .select(['p.id', 'p.kind', 'p.links'])
    .select(({ fn, ref, selectFrom }) => [
      // The alias keeps the name: the joined tables call this column `organization`.
      ref('p.organizationId').as('organizationId'),
      fn.coalesce('d.domain', 'f.name', 'o.name').as('name'),
      jsonArrayFrom(
        selectFrom('HiddenLink as h')
          .leftJoin('ShortLink as l', 'l.id', 'h.linkId')
          .leftJoin('Domain as at', 'at.id', 'l.domain')
          .select(['h.linkId as id', 'at.domain', 'l.slug'])
          .whereRef('h.purgeId', '=', 'p.id')
          .where('p.kind', '=', 'links')
          .orderBy('h.linkId')
          .limit(40),
      ).as('shown'),
    ])
    .where('p.id', 'in', ids)
    .execute();
  return deletions.map(({ name, shown, ...deletion }) => ({
    ...deletion,
    linkIds: shown.map(({ id }) => id),
    names: [
      name ?? [],
      shown.slice(0, 2).flatMap(({ domain, slug }) => (slug === null ? [] : `${domain}/${slug}`)),
    ].flat(),
  }));
}

/** Reads a deletion, and marks it as under way for `inMs` and half a minute. */
export function touchDeletion(
  em: EntityManager,
  id: string,
  inMs = 0,
): Promise<(DeletionRow & { linksRemoved: number }) | undefined> {
  return em.kysely
    .updateTable('Deletion')
    .set({ dueAt: dueAfter(inMs) })
    .where('id', '=', id)
    .returning(['id', 'kind', 'organizationId', 'links', 'linksRemoved', 'deletedAt'])
    .executeTakeFirst();
}

/** Adds links of a deletion that are removed to its progress. */
export async function countRemovedLinks(em: EntityManager, id: string, count: number): Promise<void> {
  await em.nativeUpdate(Deletion, { id }, { linksRemoved: raw('links_removed + ?', [count]) });
}

/** Ends a deletion whose links are all removed. @returns whether it ended. */
export async function endDeletion(em: EntityManager, id: string): Promise<boolean> {
  await em.kysely
    .deleteFrom('Deletion')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('HiddenLink as h').select('h.linkId').where('h.purgeId', '=', id))),
    )
    .execute();
  return (await em.count(Deletion, { id })) === 0;
}
