import type { Permissions } from '../core/permissions.ts';
import type { Plan } from '../core/plans.ts';
import type { Sql } from './database.ts';

/** A live API key with what of its organization decides about a call. */
export interface KeyRow {
  id: string;
  organizationId: string;
  userId: string;
  permissions: Permissions;
  plan: Plan;
  isSuspended: boolean;
  /** When the key or its organization last changed. */
  stamp: string;
}

const selectKey = `
  select k.id, k.organization_id as "organizationId", k.user_id as "userId", k.permissions, o.plan,
    o.suspended_at is not null as "isSuspended", greatest(k.updated_at, o.updated_at)::text as stamp
  from api_keys k join organizations o on o.id = k.organization_id
  where k.key_hash = $1 and k.deleted_at is null and o.deleted_at is null`;

/** Finds a live key by the SHA-256 of its value. */
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
