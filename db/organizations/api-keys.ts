import { sql, type SqlBool } from 'kysely';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { KeyLimits } from '#core/organizations/key-limits.ts';
import { heldPermissions, type KeyType, type Permissions, type Role } from '#core/organizations/permissions.ts';
import type { Paging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import { type ApiKey, Membership } from '#db/entities/accounts/people.ts';

/** A key with the role of its holder, on which its permissions depend. */
export interface HeldKey {
  key: ApiKey;
  role: Role | undefined;
}

// People read no more.
const shownAtMost = 100;

export class ApiKeyRepository extends Repository<ApiKey> {
  /** Reads a live key of any organization. @param lock locks it until the end of the transaction: `share` against changes. */
  async read(id: string, lock?: 'share' | 'no key update'): Promise<HeldKey | undefined> {
    const key = await (lock === undefined ? this.findOne({ id }) : this.hold(id, lock));
    return key === null ? undefined : (await this.withRoles([key]))[0];
  }

  /**
   * Lists an organization's keys, the most recent first, by a part of the name without regard to case. There is at most one per
   * member, one bot key and a hundred of programs: all are read.
   */
  async list(
    organizationId: string,
    { search = '', limit, page }: Paging & { search?: string | undefined },
  ): Promise<[HeldKey[], number]> {
    const own = { filters: { tenant: { organizationId } }, orderBy: { createdAt: 'desc', id: 'desc' } } as const;
    const term = foldCase(search);
    const found = (await this.find({}, own)).filter(({ name }) => foldCase(name).includes(term));
    return [await this.withRoles(found.slice(limit * page, limit * (page + 1))), found.length];
  }

  /** Counts the live keys of an organization that are of a type. */
  countOf(organizationId: string, type: KeyType): Promise<number> {
    return this.count({ type }, { filters: { tenant: { organizationId } } });
  }

  /** Lists keys that end between two moments, or of which the value before the last rotation does. */
  listEnding(organizationId: string, { now, until }: { now: Date; until: Date }): Promise<ApiKey[]> {
    const due = { $gt: now, $lte: until };
    const ending = { $or: [{ expiresAt: due }, { previousKeyUntil: due }] };
    return this.find(ending, { filters: { tenant: { organizationId } }, orderBy: { id: 'asc' }, limit: shownAtMost });
  }

  /** Stores that keys are used now. @param addresses of the callers, by the ids of the keys. */
  async touch(addresses: ReadonlyMap<string, string>): Promise<void> {
    await this.kysely
      .updateTable('ApiKey')
      .set({
        lastUsedAt: sql<Date>`now()`,
        lastUsedFrom: sql<string>`${JSON.stringify(Object.fromEntries(addresses))}::jsonb ->> id::text`,
      })
      .where(sql<SqlBool>`id = any(${[...addresses.keys()]}::uuid[])`)
      .execute();
  }

  /** Revokes a member's key. @returns it, if there was one. */
  async revokeOf(organizationId: string, userId: string, now: Date): Promise<ApiKey | undefined> {
    const key = await this.findOne({ organization: organizationId, user: userId, type: 'user' });
    key?.revoke(now);
    return key ?? undefined;
  }

  async withRoles(keys: readonly ApiKey[]): Promise<HeldKey[]> {
    if (keys.length === 0) return [];
    const users = [...new Set(keys.map(({ user }) => user.id))];
    const organizations = [...new Set(keys.map(({ organization }) => organization.id))];
    const memberships = await this.em.find(Membership, { user: { $in: users }, organization: { $in: organizations } });
    const roles = new Map(memberships.map(({ organization, user, role }) => [`${organization.id} ${user.id}`, role]));
    return keys.map((key) => ({ key, role: roles.get(`${key.organization.id} ${key.user.id}`) }));
  }
}

export function permissionsOfKey({ key: { type, permissions }, role }: HeldKey): Permissions {
  return heldPermissions(permissions, { type, role });
}

export function limitsOfKey(key: ApiKey): KeyLimits {
  const { expiresAt = null, allowedAddresses = null, folderIds = null, domainIds = null } = key;
  return { expiresAt, allowedAddresses, folderIds, domainIds };
}
