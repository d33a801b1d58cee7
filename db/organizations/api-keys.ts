import { foldCase } from '#core/lib/fold-case.ts';
import type { Permissions } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';
import { heldPermissions, keysWithHolder } from './key-lookup.ts';
import type { Paging } from '#db/connection/paging.ts';

/** A user key acts for its holder, a bot key for the organization's user named Bot. */
export type ApiKeyType = 'user' | 'bot';

/** The record of an API key (2.6), without its value, which is not stored. */
export interface ApiKeyRow {
  id: string;
  organizationId: string;
  type: ApiKeyType;
  name: string;
  /** Its own permissions, as far as its holder's role allows them now. */
  permissions: Permissions;
  last4: string;
  userId: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** SQL: columns of `keysWithHolder` that form an `ApiKeyRow`. */
export const apiKeyColumns = `k.id, k.organization_id as "organizationId", k.type, k.name, ${heldPermissions} as permissions, k.last4,
  k.user_id as "userId", k.created_at as "createdAt", k.last_used_at as "lastUsedAt"`;

/** Reads a live key of any organization. `lock` locks it against changes and revocation. */
export async function readApiKey(
  sql: Sql,
  id: string,
  lock: '' | 'for share of k' | 'for no key update of k' = '',
): Promise<ApiKeyRow | undefined> {
  const { rows } = await sql.query<ApiKeyRow>(
    `select ${apiKeyColumns} from ${keysWithHolder} where k.id = $1 and k.deleted_at is null ${lock}`,
    [id],
  );
  return rows[0];
}

/**
 * Lists an organization's keys, the most recent first, by a part of the name without regard to case. There is at most one per
 * member and one more: all are read.
 */
export async function listApiKeys(
  sql: Sql,
  { organizationId, search = '', limit, page }: Paging & { organizationId: string; search: string | undefined },
): Promise<{ count: number; rows: ApiKeyRow[] }> {
  const { rows } = await sql.query<ApiKeyRow>(
    `select ${apiKeyColumns} from ${keysWithHolder} where k.organization_id = $1 and k.deleted_at is null
     order by k.created_at desc, k.id desc`,
    [organizationId],
  );
  const term = foldCase(search);
  const found = rows.filter(({ name }) => foldCase(name).includes(term));
  return { count: found.length, rows: found.slice(limit * page, limit * (page + 1)) };
}

/** Finds the organization of a live or revoked key by its hash. */
export async function findKeyOrganization(sql: Sql, keyHash: Buffer): Promise<string | undefined> {
  const { rows } = await sql.query<{ organizationId: string }>(
    'select organization_id as "organizationId" from api_keys where key_hash = $1',
    [keyHash],
  );
  return rows[0]?.organizationId;
}

/** Inserts a key. */
export async function insertApiKey(tx: Sql, key: Omit<ApiKeyRow, 'lastUsedAt'> & { keyHash: Buffer }): Promise<void> {
  const { keyHash, ...fields } = key;
  await tx.query(
    `insert into api_keys (id, organization_id, user_id, type, name, permissions, last4, created_at, updated_at, key_hash)
     select "id", "organizationId", "userId", "type", "name", "permissions", "last4", "createdAt", "createdAt", $2
     from jsonb_to_record($1::jsonb) as x("id" uuid, "organizationId" uuid, "userId" uuid, "type" text, "name" text,
       "permissions" jsonb, "last4" text, "createdAt" timestamptz)`,
    [JSON.stringify(fields), keyHash],
  );
}

// Never the same moment twice: processes that cache a key recognise its versions by it.
const changedNow = `updated_at = greatest(now(), updated_at + interval '1 millisecond')`;

/** Changes a key's name, permissions or both. @returns its hash, hex. */
export async function setApiKey(
  tx: Sql,
  id: string,
  { name, permissions }: { name?: string | undefined; permissions?: Permissions | undefined },
): Promise<string> {
  const { rows } = await tx.query<{ keyHash: string }>(
    `update api_keys set name = coalesce($2, name), permissions = coalesce($3, permissions), ${changedNow} where id = $1
     returning encode(key_hash, 'hex') as "keyHash"`,
    [id, name ?? null, permissions === undefined ? null : JSON.stringify(permissions)],
  );
  return rows[0]!.keyHash;
}

/** Revokes a key. @returns its hash, hex. */
export async function tombstoneApiKey(tx: Sql, id: string): Promise<string> {
  const { rows } = await tx.query<{ keyHash: string }>(
    `update api_keys set deleted_at = now(), ${changedNow} where id = $1 returning encode(key_hash, 'hex') as "keyHash"`,
    [id],
  );
  return rows[0]!.keyHash;
}

/** Revokes a member's key. @returns its hash, hex, if there was one. */
export async function tombstoneUserKey(tx: Sql, organizationId: string, userId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ keyHash: string }>(
    `update api_keys set deleted_at = now(), ${changedNow}
     where organization_id = $1 and user_id = $2 and type = 'user' and deleted_at is null
     returning encode(key_hash, 'hex') as "keyHash"`,
    [organizationId, userId],
  );
  return rows[0]?.keyHash;
}
