import { uuidv7 } from '#core/lib/uuid.ts';
import { defaultFolderColor } from '#core/labels/label.ts';
import type { Actor } from '#core/audit/actor.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { Folder } from '#db/entities/links/links.ts';
import { Membership, Organization, Session, User } from '#db/entities/accounts/people.ts';
import { Webhook } from '#db/entities/webhooks.ts';
import { notifyDomain } from '#db/notifications/notify.ts';
import { lockOrganization, lockPart } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';
import { tombstoneLinksOf } from '#db/deletions/links.ts';
import { tombstoneBelongings } from '#db/deletions/organization.ts';
import { insertDeletion, lastId } from '#db/deletions/deletions.ts';
import { recordChange } from './audit.ts';
import { notOfRole } from './grants.ts';
import { findOrCreateUser, type UserDraft } from './members.ts';

/** A new organization; its owner's account is created where the e-mail is unknown. */
interface OrganizationDraft {
  name: string;
  plan: Plan;
  owner: UserDraft;
}

/**
 * Creates an organization with its owner, its user named Bot and its default folder "Links". A known user becomes its
 * owner. @returns ids, and whether the owner's account is new. @throws AppError as `findOrCreateUser`.
 */
export async function createOrganization(
  em: EntityManager,
  { name, plan, owner }: OrganizationDraft,
  now: Date,
): Promise<{ organizationId: string; ownerId: string; botId: string; isNewAccount: boolean }> {
  const { userId: ownerId, isNewAccount } = await findOrCreateUser(em, owner, name);
  const organizationId = uuidv7();
  em.create(Organization, { id: organizationId, name, plan });
  const { id: botId } = em.getRepository(User).add({ type: 'bot', name: 'Bot' });
  em.getRepository(Membership).add(organizationId, ownerId, 'owner');
  em.getRepository(Membership).add(organizationId, botId, 'member');
  em.getRepository(Folder).add(organizationId, { name: 'Links', color: defaultFolderColor, isDefault: true }, now);
  await em.flush();
  return { organizationId, ownerId, botId, isNewAccount };
}

/**
 * Changes an organization: its name, its plan, whether visits with `Sec-GPC: 1` are counted without a visitor's hash and with the
 * country as their only location, and what visitors of links with known threats get. In force at once on every process, and within a
 * second at every edge. @returns the organization. @throws AppError NOT_FOUND.
 */
export function updateOrganization(
  em: EntityManager,
  id: string,
  fields: Partial<Pick<Organization, 'name' | 'plan' | 'honoursGpc' | 'threatPolicy'>>,
): Promise<Organization> {
  const isOfEdge = fields.honoursGpc !== undefined || fields.threatPolicy !== undefined;
  const followUps = [...(isOfEdge ? [announceToEdge] : []), ...(fields.plan === undefined ? [] : [wakeWebhooks])];
  return changeOrganization(em, id, () => fields, followUps);
}

/**
 * Suspends an organization: its keys and sessions are refused at once on every process, the edge answers 404 for its domains
 * and links within a second, and its webhooks are held. Its data stays; a second suspension is no error.
 * @param options `reason`: what its keys and sessions are told; undefined: the reason of an earlier suspension stays.
 * @returns the organization. @throws AppError NOT_FOUND.
 */
export function suspendOrganization(
  em: EntityManager,
  id: string,
  { now, reason }: { now: Date; reason?: string | undefined },
): Promise<Organization> {
  const suspend = ({ suspendedAt, suspensionReason }: Organization) => ({
    suspendedAt: suspendedAt ?? now,
    suspensionReason: reason ?? suspensionReason ?? null,
  });
  return changeOrganization(em, id, suspend, [announceToEdge, wakeWebhooks]);
}

/**
 * Ends a suspension; its webhooks send the deliveries that have waited. @returns the organization. @throws AppError NOT_FOUND.
 */
export function resumeOrganization(em: EntityManager, id: string): Promise<Organization> {
  const resumed = { suspendedAt: null, suspensionReason: null };
  return changeOrganization(em, id, () => resumed, [announceToEdge, wakeWebhooks]);
}

/**
 * Deletes an organization with everything in it: its keys and sessions are refused at once, the edge answers 404 for its
 * domains and links within a second, its webhooks send no more, and all names are free. A workflow removes the rows and the
 * files; its members keep their accounts. No `link.deleted` is written: the webhooks are deleted as well.
 * @throws AppError NOT_FOUND.
 */
export async function deleteOrganization(em: EntityManager, id: string, now: Date): Promise<void> {
  await lockPart(em, 'deletes', id);
  // Lock order: links, then the organization (docs/locks.md); then the links that were created in between.
  const first = await tombstoneLinksOf(em, 'organization_id', id, { deletionId: id, now });
  const organization = await em.getRepository(Organization).hold(id);
  if (organization === null) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
  const late = await tombstoneLinksOf(em, 'organization_id', id, { deletionId: id, now });
  await announceToEdge(em, id);
  await wakeWebhooks(em, id);
  await enqueue(em, 'domain', await tombstoneBelongings(em, id, now));
  Object.assign(organization, { deletedAt: now, updatedAt: now });
  await em.flush();
  await insertDeletion(em, {
    id,
    kind: 'organization',
    organizationId: id,
    links: first + late,
    deletedAt: now,
    toldTo: lastId,
  });
}

/**
 * Deletes an organization for one of its owners. The session moves to another organization of the person, where one lets them
 * work; else it ends.
 * @param name of the organization, as the owner typed it. @returns whether the session goes on.
 * @throws AppError ACTION_NOT_ALLOWED for others than owners, VALIDATION_ERROR at `name` where it is another one, NOT_FOUND where another
 * call has deleted it.
 */
export async function deleteOwnOrganization(
  em: EntityManager,
  actor: Actor,
  { sessionId, name }: { sessionId: string; name: string },
  now: Date,
): Promise<{ hasSession: boolean }> {
  const { organizationId, userId } = actor;
  const members = em.getRepository(Membership);
  // Before the work, and again when the organization is locked: the person's role may change meanwhile.
  await requireOwner();
  const organization = await em.getRepository(Organization).get(organizationId);
  if (organization.name !== name) throw invalid('name', `must be the name of the organization, ${organization.name}`);
  await deleteOrganization(em, organizationId, now);
  await requireOwner();
  const other = await members.findFirstWorkplace(userId, { except: organizationId });
  const canMove = other !== undefined && !other.isSuspended;
  // A session by the organization's provider ends with the organization.
  const moves = { id: sessionId, isByProvider: false };
  const hasSession = canMove && (await em.nativeUpdate(Session, moves, { organization: other.organizationId })) > 0;
  const change = { action: 'organization.deleted', subjectId: organizationId, details: { name } };
  await recordChange(em, actor, change, now);
  return { hasSession };

  async function requireOwner(): Promise<void> {
    if ((await members.roleOf({ organizationId, userId })) === 'owner') return;
    throw notOfRole('Only an owner may delete the organization.', 'delete');
  }
}

/** @param followUps notifications and requests that go with the change. */
async function changeOrganization(
  em: EntityManager,
  id: string,
  change: (organization: Organization) => Parameters<Organization['change']>[0],
  followUps: readonly ((em: EntityManager, id: string) => Promise<void>)[],
): Promise<Organization> {
  await lockOrganization(em, id);
  const organization = await em.getRepository(Organization).get(id);
  organization.change(change(organization), new Date());
  await em.flush();
  for (const followUp of followUps) await followUp(em, id);
  return organization;
}

/**
 * Notifies every edge, with the commit, to read the domains again that the organization's links may be on: its own and the
 * platform's. Whole domains, not links by name: that covers a link that is created or moved at this moment, and costs as much
 * for a million links as for ten.
 */
async function announceToEdge(em: EntityManager, organizationId: string): Promise<void> {
  const usable = { $or: [{ organization: organizationId }, { organization: null }] };
  for (const { id } of await em.find(Domain, usable, { fields: ['id'] })) await notifyDomain(em, id);
}

/** Enqueues the organization's webhooks: whether they send depends on it. */
async function wakeWebhooks(em: EntityManager, organizationId: string): Promise<void> {
  const webhooks = await em.find(Webhook, { organization: organizationId }, { fields: ['id'] });
  await enqueue(
    em,
    'webhook',
    webhooks.map(({ id }) => id),
  );
}
