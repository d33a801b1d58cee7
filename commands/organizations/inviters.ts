import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import { permissionsOf, type Role } from '#core/organizations/permissions.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Invitation, Membership } from '#db/entities/accounts/people.ts';
import { enqueue } from '#db/outbox.ts';
import { recordAction } from './audit.ts';
import { limitsOfMember, notOfRole, requireGrants } from './grants.ts';

type Inviter = Pick<Actor, 'organizationId' | 'userId' | 'keyId'>;

/**
 * Checks that a caller may invite a person for a role now: it manages people, holds what the role has without limits of its own, and an
 * owner is invited by an owner. Locks the membership, and the key, until the end of the transaction.
 * @throws AppError ACTION_NOT_ALLOWED, and UNAUTHORIZED where the person has left or the key is revoked.
 */
export async function requireInviter(em: EntityManager, inviter: Inviter, role: Role): Promise<void> {
  const held = permissionsOf(role);
  const granted = { ...held, apiKeys: held.apiKeys ?? (['create'] as const) };
  await requireGrants(em, inviter, granted, { wanted: limitsOfMember });
  if (role !== 'owner') return;
  const own = await em.getRepository(Membership).roleOf(inviter);
  if (own !== 'owner') throw notOfRole('Only an owner may invite an owner.', 'create');
}

/** Whether the person or key that made an invitation may still make it. */
export async function isStillGiven(em: EntityManager, invitation: Invitation): Promise<boolean> {
  const { organization, invitedBy, keyId, role } = invitation;
  if (!invitedBy) return false;
  const inviter = { organizationId: organization.id, userId: invitedBy.id, ...(keyId && { keyId }) };
  return requireInviter(em, inviter, role).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError) return false;
      throw error;
    },
  );
}

/** Ends the open invitations of a person who has lost rights in an organization, as far as they may not make them any more. */
export async function endLostInvitations(
  em: EntityManager,
  { organizationId, userId }: Pick<Inviter, 'organizationId' | 'userId'>,
  now: Date,
): Promise<void> {
  const invitations = em.getRepository(Invitation);
  for (const invitation of await invitations.listOpenBy(organizationId, userId)) {
    const { id, email } = invitation;
    if (await isStillGiven(em, invitation)) continue;
    if (!(await invitations.end(id, 'revoked', now))) continue;
    const line = { action: 'invitation.revoked', userId: null, organizationId, subjectId: id };
    await recordAction(em, { caller: 'system', ...line, details: { email, reason: 'inviter' } }, now);
    await enqueue(em, 'invitation', [id]);
  }
}
