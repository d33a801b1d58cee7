import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { defaultFolderColor } from '../core/colors.ts';
import { AppError } from '../core/errors.ts';
import { fold } from '../core/fold.ts';
import type { Plan } from '../core/plans.ts';
import type { Sql } from '../db/database.ts';
import { Organization } from '../db/entities/people.ts';
import { insertFolder } from '../db/folders.ts';
import { channels, type KeyChange } from '../db/notify.ts';
import { insertMembership, insertUser } from '../db/people.ts';
import { findOrMakeUser, type UserDraft } from './members.ts';

/** An organization's row. */
export type OrganizationRow = InferEntity<typeof Organization>;

/** A new organization; its owner is made where the e-mail is not known yet. */
export interface OrganizationDraft {
  name: string;
  plan: Plan;
  owner: UserDraft;
}

/**
 * Makes an organization with its owner, its user named Bot and its default folder "Links" (3.6). A user who is known by
 * the e-mail becomes its owner and keeps their password (2.8).
 * @throws AppError VALIDATION_ERROR where the user is new and the password missing, too short or too long.
 */
export async function createOrganization(
  tx: Sql,
  { name, plan, owner }: OrganizationDraft,
  { now }: { now: Date },
): Promise<{ organizationId: string; ownerId: string; botId: string }> {
  const ownerId = await findOrMakeUser(tx, owner);
  const organizationId = uuidv7();
  const botId = uuidv7();
  await tx.query('insert into organizations (id, name, plan) values ($1, $2, $3)', [organizationId, name, plan]);
  await insertUser(tx, { id: botId, type: 'bot', name: 'Bot' });
  await insertMembership(tx, { organizationId, userId: ownerId, role: 'owner' });
  await insertMembership(tx, { organizationId, userId: botId, role: 'member' });
  const folder = { id: uuidv7(), organizationId, name: 'Links', nameKey: fold('Links'), color: defaultFolderColor };
  await insertFolder(tx, { ...folder, isDefault: true, now });
  return { organizationId, ownerId, botId };
}

/** Gives an organization another plan, in force at once on every process. @throws AppError NOT_FOUND. */
export async function setPlan(em: EntityManager, organizationId: string, plan: Plan): Promise<OrganizationRow> {
  return em.transactional(async (tx) => {
    await tx.execute('update organizations set plan = ?, updated_at = now() where id = ?', [plan, organizationId]);
    const organization = await findOrganization(tx, organizationId);
    await tx.execute('select pg_notify(?, ?)', [channels.keys, JSON.stringify({ organizationId } satisfies KeyChange)]);
    return organization;
  });
}

/** Finds an organization that is not deleted. @throws AppError NOT_FOUND. */
export async function findOrganization(em: EntityManager, id: string): Promise<OrganizationRow> {
  const organization = await em.findOne(Organization, { id, deletedAt: null });
  if (organization === null) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
  return organization;
}
