import type { Permissions } from '#core/organizations/permissions.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { Sql } from '#db/connection/database.ts';

/** A live API key, with the state of its organization that decides about a call. */
export interface KeyRow {
  id: string;
  organizationId: string;
  userId: string;
  /** Its own permissions, as far as its holder's role allows them now. */
  permissions: Permissions;
  plan: Plan;
  isSuspended: boolean;
  /** The moment from which the value is refused: the key's end, or that of a value before a rotation; null: none. */
  endsAt: Date | null;
  /** Addresses and ranges from which it may be used; null: from everywhere. */
  allowedAddresses: string[] | null;
  /** What staff tell about the suspension. */
  suspensionReason: string | null;
  /** Folders and domains to which it is restricted; null: none. */
  folderIds: string[] | null;
  domainIds: string[] | null;
  /** Identifies the version of the key and its organization. */
  stamp: string;
}

/** A key `k` with the membership `m` of its holder, if any. */
export const keysWithHolder = `api_keys k
  left join memberships m on m.organization_id = k.organization_id and m.user_id = k.user_id`;

/** Permissions of a key of `keysWithHolder`: `apiKeys` is for user keys of present owners and admins (2.5). */
export const heldPermissions = `case when k.type = 'user' and m.role <> 'member' then k.permissions
  else k.permissions - 'apiKeys' end`;

/** Changes with each change of a key `k` or its organization `o`. */
export const keyStamp = `concat_ws(' ', k.updated_at, o.updated_at)`;

const selectKey = `
  select k.id, k.organization_id as "organizationId", k.user_id as "userId", ${heldPermissions} as permissions, o.plan,
    o.suspended_at is not null as "isSuspended", o.suspension_reason as "suspensionReason", ${keyStamp} as stamp,
    k.allowed_addresses as "allowedAddresses", k.folder_ids as "folderIds", k.domain_ids as "domainIds",
    least(k.expires_at, case when k.key_hash <> $1 then k.previous_key_until end) as "endsAt"
  from ${keysWithHolder} join organizations o on o.id = k.organization_id
  where (k.key_hash = $1 or k.previous_key_hash = $1) and k.deleted_at is null and o.deleted_at is null
    and (k.type <> 'user' or m.role is not null)`;

// By hand: every call with a key that is not in memory runs it before the route (bench row C1).
/** Finds a live key by the SHA-256 of its value, or of the one before its last rotation. A user key ends with its holder's membership. */
export async function findKey(sql: Sql, keyHash: Buffer): Promise<KeyRow | undefined> {
  const { rows } = await sql.query<KeyRow>({ name: 'find-key', text: selectKey, values: [keyHash] });
  return rows[0];
}
