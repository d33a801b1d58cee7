import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { createApiKey, hashToken } from '../core/api-key.ts';
import { defaultFolderColor } from '../core/colors.ts';
import { fold } from '../core/fold.ts';
import type { Permissions } from '../core/permissions.ts';
import type { Plan } from '../core/plans.ts';
import { Folder } from '../db/entities/links.ts';
import { ApiKey, Membership, Organization, User } from '../db/entities/people.ts';
import { hashPassword } from './passwords.ts';

/** A new organization; `owner` is made where the e-mail is not known yet, with `password`. */
export interface OrganizationDraft {
  name: string;
  plan: Plan;
  owner: { email: string; name?: string; password?: string; isStaff?: boolean };
}

/** Makes an organization with its owner, its user named Bot and its default folder "Links" (3.6). */
export async function createOrganization(
  em: EntityManager,
  { name, plan, owner }: OrganizationDraft,
): Promise<{ organizationId: string; ownerId: string; botId: string }> {
  const passwordHash = owner.password === undefined ? null : await hashPassword(owner.password);
  return em.transactional(async (tx) => {
    const organization = tx.create(Organization, { id: uuidv7(), name, plan });
    const email = owner.email.trim().toLowerCase();
    const known = await tx.findOne(User, { email, deletedAt: null });
    const user =
      known ??
      tx.create(User, {
        id: uuidv7(),
        type: 'human',
        email,
        name: owner.name ?? email.split('@')[0]!,
        passwordHash,
        isStaff: owner.isStaff ?? false,
      });
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

/** A key to make; `value` is made where it is not given. */
export interface ApiKeyDraft {
  organizationId: string;
  userId: string;
  type: 'user' | 'bot';
  name: string;
  permissions: Permissions;
  value?: string;
}

/**
 * Makes an API key. @returns its id and its value, which is kept nowhere.
 * @throws UniqueConstraintViolationException for a second user key of a user, or a second bot key.
 */
export async function createKey(em: EntityManager, draft: ApiKeyDraft): Promise<{ id: string; key: string }> {
  const { organizationId, userId, type, name, permissions, value = createApiKey() } = draft;
  const id = uuidv7();
  await em.insert(ApiKey, {
    id,
    organization: organizationId,
    user: userId,
    type,
    name,
    permissions,
    keyHash: hashToken(value),
    last4: value.slice(-4),
  });
  return { id, key: value };
}
