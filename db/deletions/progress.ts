import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Deletion } from '#db/entities/processes.ts';

/** How far the deletion of an organization is; undefined: it has ended. */
export async function readOrganizationDeletion(
  em: EntityManager,
  organizationId: string,
): Promise<{ links: number; linksRemoved: number; deletedAt: Date } | undefined> {
  const deletion = await em.findOne(Deletion, { id: organizationId, kind: 'organization' });
  return deletion ?? undefined;
}
