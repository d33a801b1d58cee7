import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { unlessReferenced } from '#db/connection/errors.ts';
import { removeQrCodes, removeVerdicts } from './links.ts';

/** Removes a deleted domain with its QR template. @returns false while rows of its links exist. */
export function removeDomain(em: EntityManager, id: string): Promise<boolean> {
  const removal = em.transactional(async (em) => {
    const gone = await em.kysely
      .deleteFrom('Domain')
      .where('id', '=', id)
      .where('deletedAt', 'is not', null)
      .returning(['qrCode', ({ ref }) => sql<Buffer | null>`hash_of_url(${ref('fallbackUrl')})`.as('hash')])
      .executeTakeFirst();
    await removeQrCodes(em, [gone?.qrCode ?? []].flat());
    await removeVerdicts(em, [gone?.hash ?? []].flat());
  });
  // Links that were deleted before the domain have deletions of their own.
  return unlessReferenced(removal);
}
