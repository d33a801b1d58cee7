import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Import } from '#db/entities/imports.ts';

/** Lists the next rows of an undo that became links, in their order. */
export async function listRowsToUndo(
  em: EntityManager,
  { id, undoRow }: Import,
  limit: number,
): Promise<{ row: number; linkId: string }[]> {
  return em.kysely
    .selectFrom('ImportRow')
    .select(({ ref }) => ['row', ref('shortLinkId').$notNull().as('linkId')])
    .where('import', '=', id)
    .where('state', '=', 'imported')
    .where('row', '>', undoRow)
    .orderBy('row')
    .limit(limit)
    .execute();
}

/**
 * Locks those of an organization's links that are live, in the order of their ids (docs/locks.md).
 * @returns them; `isChanged`: clicked, or edited since they were made.
 */
export function holdImportedLinks(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; isChanged: boolean }[]> {
  return (
    em.kysely
      .selectFrom('ShortLink as l')
      .leftJoin('LinkCounter as c', 'c.linkId', 'l.id')
      .select('l.id')
      // A new link's `updatedAt` is its `createdAt`, and every change moves it on.
      .select(({ eb, fn, or, ref, val }) =>
        or([eb(fn.coalesce('c.clicks', val(0)), '>', 0), eb('l.updatedAt', '>', ref('l.createdAt'))])
          .$castTo<boolean>()
          .as('isChanged'),
      )
      .where('l.id', 'in', ids)
      .where('l.organization', '=', organizationId)
      .where('l.deletedAt', 'is', null)
      .orderBy('l.id')
      .forUpdate('l')
      .execute()
  );
}
