import type { Actor } from '#core/organizations/actor.ts';
import { AppError } from '#core/errors/errors.ts';
import { permissionsOf } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';
import { readOrganization } from '#db/organizations/organizations.ts';

/**
 * One of the staff as somebody who acts for an organization, with all that its owner may do: the commands are those of the
 * API. @throws AppError NOT_FOUND where the organization is gone.
 */
export async function actFor(tx: Sql, userId: string, organizationId: string): Promise<Actor> {
  const organization = await readOrganization(tx, organizationId);
  if (organization === undefined) throw new AppError('NOT_FOUND', `There is no organization ${organizationId}.`);
  return { organizationId, plan: organization.plan, userId, permissions: permissionsOf('owner') };
}
