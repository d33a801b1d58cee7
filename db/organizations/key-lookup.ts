import type { Permissions } from '#core/organizations/permissions.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { Sql } from '#db/connection/database.ts';

/** A live API key with what of its organization decides about a call. */
export interface KeyRow {
  id: string;
  organizationId: string;
  userId: string;
  /** What the key may do at this moment: its own permissions, as far as its holder's role allows them. */
  permissions: Permissions;
  plan: Plan;
  isSuspended: boolean;
  /** Tells states of the key and its organization apart. */
  stamp: string;
}

/** A key `k` with the place `m` that its holder has in the organization, if any. */
export const keysWithHolder = `api_keys k
  left join memberships m on m.organization_id = k.organization_id and m.user_id = k.user_id`;

/** What a key of `keysWithHolder` may do: `apiKeys` is for the user keys of owners and admins, as long as they are that (2.5). */
export const heldPermissions = `case when k.type = 'user' and m.role <> 'member' then k.permissions
  else k.permissions - 'apiKeys' end`;

/** Changes with each change of a key `k` or its organization `o`. */
export const keyStamp = `concat_ws(' ', k.updated_at, o.updated_at)`;

const selectKey = `
  select k.id, k.organization_id as "organizationId", k.user_id as "userId", ${heldPermissions} as permissions, o.plan,
    o.suspended_at is not null as "isSuspended", ${keyStamp} as stamp
  from ${keysWithHolder} join organizations o on o.id = k.organization_id
  where k.key_hash = $1 and k.deleted_at is null and o.deleted_at is null and (k.type = 'bot' or m.role is not null)`;

/** Finds a live key by the SHA-256 of its value. A user key lives no longer than its holder is a member. */
export async function findKey(sql: Sql, keyHash: Buffer): Promise<KeyRow | undefined> {
  const { rows } = await sql.query<KeyRow>({ name: 'find-key', text: selectKey, values: [keyHash] });
  return rows[0];
}

/** Notes that keys were used. */
export async function touchKeys(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query({
    name: 'touch-keys',
    text: 'update api_keys set last_used_at = now() where id = any($1::uuid[])',
    values: [ids],
  });
}
