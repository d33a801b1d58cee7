import { type InferEntity, LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { createApiKey, hashToken } from '../core/api-key.ts';
import { defaultFolderColor } from '../core/colors.ts';
import { AppError, invalid } from '../core/errors.ts';
import { fold } from '../core/fold.ts';
import type { Permissions } from '../core/permissions.ts';
import type { Plan } from '../core/plans.ts';
import { Folder } from '../db/entities/links.ts';
import { ApiKey, Membership, Organization, User } from '../db/entities/people.ts';
import { channels, type KeyChange } from '../db/notify.ts';
import { hashPassword } from './passwords.ts';
import { checkPassword, normalizeEmail } from './people.ts';

/** An organization's row. */
export type OrganizationRow = InferEntity<typeof Organization>;

/** A new organization; `owner` is made where the e-mail is not known yet, with `password`. */
export interface OrganizationDraft {
  name: string;
  plan: Plan;
  owner: { email: string; name?: string; password?: string; isStaff?: boolean };
}

/**
 * Makes an organization with its owner, its user named Bot and its default folder "Links" (3.6). A user who is known by
 * the e-mail becomes its owner and keeps their password (2.8).
 * @throws AppError VALIDATION_ERROR where the user is new and the password missing, too short or too long.
 */
export async function createOrganization(
  em: EntityManager,
  { name, plan, owner }: OrganizationDraft,
): Promise<{ organizationId: string; ownerId: string; botId: string }> {
  const email = normalizeEmail(owner.email);
  return em.transactional(async (tx) => {
    const known = await tx.findOne(User, { email, deletedAt: null });
    const user = known ?? tx.create(User, await newUser(email, owner));
    const organization = tx.create(Organization, { id: uuidv7(), name, plan });
    const bot = tx.create(User, { id: uuidv7(), type: 'bot', name: 'Bot' });
    tx.create(Membership, { organization, user, role: 'owner' });
    tx.create(Membership, { organization, user: bot, role: 'member' });
    tx.create(Folder, {
      id: uuidv7(),
      organization,
      name: 'Links',
      nameKey: fold('Links'),
      color: defaultFolderColor,
      isDefault: true,
    });
    await tx.flush();
    return { organizationId: organization.id, ownerId: user.id, botId: bot.id };
  });
}

async function newUser(email: string, { name, password, isStaff = false }: OrganizationDraft['owner']) {
  if (password === undefined) throw invalid('owner.password', 'is needed: no user has this e-mail yet');
  checkPassword('owner.password', password);
  return {
    id: uuidv7(),
    type: 'human' as const,
    email,
    name: name ?? email.split('@')[0]!,
    passwordHash: await hashPassword(password),
    isStaff,
  };
}

/** Gives an organization another plan, in force at once on every process. @throws AppError NOT_FOUND. */
export async function setPlan(em: EntityManager, organizationId: string, plan: Plan): Promise<OrganizationRow> {
  return em.transactional(async (tx) => {
    await tx.execute('update organizations set plan = ?, updated_at = now() where id = ?', [plan, organizationId]);
    const organization = await findOrganization(tx, organizationId);
    await announceKeys(tx, { organizationId });
    return organization;
  });
}

/** Finds an organization that is not deleted. @throws AppError NOT_FOUND. */
export async function findOrganization(em: EntityManager, id: string): Promise<OrganizationRow> {
  const organization = await em.findOne(Organization, { id, deletedAt: null });
  if (organization === null) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
  return organization;
}

/** A key to make; `value` is made where it is not given. A bot key's user is the organization's bot. */
export interface ApiKeyDraft {
  organizationId: string;
  userId?: string;
  type: 'user' | 'bot';
  name: string;
  permissions: Permissions;
  value?: string;
}

/** A new API key; `key` is its value, which is kept nowhere. */
export interface CreatedKey {
  key: string;
  id: string;
  organizationId: string;
  type: 'user' | 'bot';
  name: string;
  permissions: Permissions;
  last4: string;
  userId: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/**
 * Makes an API key (2.6). `apiKeys` may be held only by the user key of an owner or admin (2.5).
 * @throws AppError NOT_FOUND for an unknown organization, VALIDATION_ERROR for a user who is not its member or a permission
 * that the key may not hold, ALREADY_EXIST for a second user key of a user, or a second bot key.
 */
export async function createKey(em: EntityManager, draft: ApiKeyDraft): Promise<CreatedKey> {
  const { organizationId, type, name, permissions, value = createApiKey() } = draft;
  return em.transactional(async (tx) => {
    await findOrganization(tx, organizationId);
    const { userId, isAdmin } = await findHolder(tx, draft);
    if ((permissions.apiKeys ?? []).length > 0 && !(type === 'user' && isAdmin)) {
      throw invalid('permissions.apiKeys', 'may be held only by the user key of an owner or admin');
    }
    const record = { id: uuidv7(), type, name, permissions, last4: value.slice(-4), createdAt: new Date() };
    const keyHash = hashToken(value);
    try {
      await tx.insert(ApiKey, { ...record, organization: organizationId, user: userId, keyHash });
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      const holder = type === 'bot' ? 'This organization has a bot key' : 'This user has a key of this organization';
      throw new AppError('ALREADY_EXIST', `${holder} already.`);
    }
    await announceKeys(tx, { keyHash: keyHash.toString('hex') });
    return { key: value, ...record, organizationId, userId, lastUsedAt: null };
  });
}

/** The member whose key it will be; the lock keeps them a member until the key is there. */
async function findHolder(
  tx: EntityManager,
  { organizationId, userId, type }: ApiKeyDraft,
): Promise<{ userId: string; isAdmin: boolean }> {
  const member = await tx.findOne(
    Membership,
    {
      organization: organizationId,
      user: {
        type: type === 'bot' ? 'bot' : 'human',
        deletedAt: null,
        ...(userId === undefined ? {} : { id: userId }),
      },
    },
    { lockMode: LockMode.PESSIMISTIC_READ },
  );
  if (member === null || (type === 'user' && userId === undefined)) {
    throw invalid(
      'userId',
      type === 'bot' ? 'must be the bot of the organization' : 'must be a member of the organization',
    );
  }
  return { userId: member.user.id, isAdmin: member.role !== 'member' };
}

/** Tells every process, with the commit, to read keys again. */
async function announceKeys(tx: EntityManager, change: KeyChange): Promise<void> {
  await tx.execute('select pg_notify(?, ?)', [channels.keys, JSON.stringify(change)]);
}
