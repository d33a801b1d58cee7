import type { InferEntity } from '@mikro-orm/core';
import { v7 as uuidv7 } from 'uuid';
import { defaultFolderColor } from '#core/links/label.ts';
import { AppError } from '#core/errors/errors.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { Transaction } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Folder } from '#db/entities/links.ts';
import { Organization } from '#db/entities/people.ts';
import { notifyDomain } from '#db/links/notify-changes.ts';
import { channels, type KeyChange, notify } from '#db/connection/notify.ts';
import {
  readUsableDomainIds,
  readWebhookIds,
  type StaffOrganizationRow,
  updateOrganization,
} from '#db/organizations/organizations.ts';
import { lockDeletes } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';
import { insertMembership, insertUser } from '#db/organizations/people.ts';
import { tombstoneLinksOf } from '#db/deletions/links.ts';
import { lockWholeOrganization, tombstoneBelongings, tombstoneOrganization } from '#db/deletions/organization.ts';
import { insertDeletion, lastId } from '#db/deletions/deletions.ts';
import { findOrMakeUser, type UserDraft } from './members.ts';

/** An organization's row. */
export type OrganizationRow = InferEntity<typeof Organization>;

/** A new organization; its owner's account is created where the e-mail is unknown. */
interface OrganizationDraft {
  name: string;
  plan: Plan;
  owner: UserDraft;
}

/**
 * Creates an organization with its owner, its user named Bot and its default folder "Links" (3.6). A known user becomes its
 * owner and keeps their password (2.8).
 * @throws AppError VALIDATION_ERROR where the user is new and the password missing, too short, too long or too common.
 */
export async function createOrganization(
  em: EntityManager,
  { name, plan, owner }: OrganizationDraft,
  { now }: { now: Date },
): Promise<{ organizationId: string; ownerId: string; botId: string }> {
  const ownerId = await findOrMakeUser(em, owner, name);
  const organizationId = uuidv7();
  const botId = uuidv7();
  em.create(Organization, { id: organizationId, name, plan });
  await em.flush();
  await insertUser(em, { id: botId, type: 'bot', name: 'Bot' });
  await insertMembership(em, { organizationId, userId: ownerId, role: 'owner' });
  await insertMembership(em, { organizationId, userId: botId, role: 'member' });
  em.getRepository(Folder).add(organizationId, { name: 'Links', color: defaultFolderColor, isDefault: true }, now);
  await em.flush();
  return { organizationId, ownerId, botId };
}

/**
 * Gives an organization another plan, in force at once on every process.
 * @returns the organization. @throws AppError NOT_FOUND.
 */
export async function setPlan(tx: Transaction, id: string, plan: Plan): Promise<StaffOrganizationRow> {
  const organization = await changeOrganization(tx, id, { plan });
  await announceToKeys(tx, id);
  await wakeWebhooks(tx, id);
  return organization;
}

/**
 * Suspends an organization: its keys and sessions are refused at once on every process, the edge answers 404 for its domains
 * and links within a second, and its webhooks are held (2.9). Its data stays; a second suspension is no error.
 * @returns the organization. @throws AppError NOT_FOUND.
 */
export async function suspendOrganization(
  tx: Transaction,
  id: string,
  { now }: { now: Date },
): Promise<StaffOrganizationRow> {
  const organization = await changeOrganization(tx, id, { suspendedAt: now });
  await announceToKeys(tx, id);
  await announceToEdge(tx, id);
  await wakeWebhooks(tx, id);
  return organization;
}

/**
 * Sets whether an organization honours `Sec-GPC`: then a visit with `Sec-GPC: 1` is counted without a visitor's hash, and with
 * the country as its only location. In force at every edge within a second. @returns the organization.
 * @throws AppError NOT_FOUND.
 */
export async function setGpc(tx: Transaction, id: string, honoursGpc: boolean): Promise<StaffOrganizationRow> {
  const organization = await changeOrganization(tx, id, { honoursGpc });
  await announceToEdge(tx, id);
  return organization;
}

/**
 * Ends a suspension; its webhooks send the deliveries that have waited. @returns the organization. @throws AppError NOT_FOUND.
 */
export async function resumeOrganization(tx: Transaction, id: string): Promise<StaffOrganizationRow> {
  const organization = await changeOrganization(tx, id, { suspendedAt: null });
  await announceToKeys(tx, id);
  await announceToEdge(tx, id);
  await wakeWebhooks(tx, id);
  return organization;
}

/**
 * Deletes an organization with everything in it: its keys and sessions are refused at once, the edge answers 404 for its
 * domains and links within a second, its webhooks send no more, and all names are free. A workflow removes the rows and the
 * files; its members keep their accounts. No `link.deleted` is written: the webhooks are deleted as well.
 * @throws AppError NOT_FOUND.
 */
export async function deleteOrganization(tx: Transaction, id: string, { now }: { now: Date }): Promise<void> {
  await lockDeletes(tx, id);
  // Lock order: links, then the organization (docs/locks.md); then the links that were created in between.
  const first = await tombstoneLinksOf(tx, 'organization_id', id, { deletionId: id, now });
  if (!(await lockWholeOrganization(tx, id))) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
  const late = await tombstoneLinksOf(tx, 'organization_id', id, { deletionId: id, now });
  await announceToKeys(tx, id);
  await announceToEdge(tx, id);
  await wakeWebhooks(tx, id);
  const { domainIds } = await tombstoneBelongings(tx, id, now);
  await enqueue(tx, 'domain', domainIds);
  await tombstoneOrganization(tx, id, now);
  await insertDeletion(tx, {
    id,
    kind: 'organization',
    organizationId: id,
    links: first + late,
    deletedAt: now,
    toldTo: lastId,
  });
}

async function changeOrganization(
  tx: Transaction,
  id: string,
  change: Parameters<typeof updateOrganization>[2],
): Promise<StaffOrganizationRow> {
  const organization = await updateOrganization(tx, id, change);
  if (organization === undefined) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
  return organization;
}

/** Notifies every process, with the commit, to read an organization's keys again. */
async function announceToKeys(tx: Transaction, organizationId: string): Promise<void> {
  await notify(tx, channels.keys, JSON.stringify({ organizationId } satisfies KeyChange));
}

/**
 * Notifies every edge, with the commit, to read the domains again that the organization's links may be on: its own and the
 * platform's. Whole domains, not links by name: that covers a link that is created or moved at this moment, and costs as much
 * for a million links as for ten.
 */
async function announceToEdge(tx: Transaction, organizationId: string): Promise<void> {
  for (const domainId of await readUsableDomainIds(tx, organizationId)) await notifyDomain(tx, domainId);
}

/** Enqueues the organization's webhooks: whether they send depends on it. */
async function wakeWebhooks(tx: Transaction, organizationId: string): Promise<void> {
  await enqueue(tx, 'webhook', await readWebhookIds(tx, organizationId));
}

/** Reads a live organization. @throws AppError NOT_FOUND. */
export async function findOrganization(em: EntityManager, id: string): Promise<OrganizationRow> {
  const organization = await em.findOne(Organization, { id, deletedAt: null });
  if (organization === null) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
  return organization;
}
