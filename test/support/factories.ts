import { v7 as uuidv7 } from 'uuid';
import { createApiKey, hashToken } from '#core/organizations/api-key.ts';
import { actions, type Permissions } from '#core/organizations/permissions.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { Sql } from '#db/connection/database.ts';
import { site } from './site.ts';

/** Every permission on every resource but `apiKeys`. */
export const allPermissions: Permissions = {
  shortLinks: actions,
  domains: actions,
  stats: actions,
  files: actions,
  webhooks: actions,
};

/** An organization of the tests, with a bot key. */
export interface TestOrganization {
  id: string;
  botId: string;
  folderId: string;
  key: string;
}

let counter = 0;
const next = (): number => (counter += 1);

/** Makes an organization with its default folder, its bot and a bot key. */
export async function createOrganization(
  db: Sql,
  {
    plan = 'premium',
    permissions = allPermissions,
    suspended = false,
  }: { plan?: Plan; permissions?: Permissions; suspended?: boolean } = {},
): Promise<TestOrganization> {
  const organization = { id: uuidv7(), botId: uuidv7(), folderId: uuidv7(), key: createApiKey() };
  // One statement in place of five, as most tests begin with it.
  await db.query(
    `with organization as (
       insert into organizations (id, name, plan, suspended_at) values ($1, $2, $3, case when $4 then now() end)
     ), bot as (
       insert into users (id, type, name) values ($5, 'bot', 'Bot')
     ), membership as (
       insert into memberships (organization_id, user_id, role) values ($1, $5, 'member')
     ), folder as (
       insert into folders (id, organization_id, name, name_key, color, is_default)
       values ($6, $1, 'Links', 'links', '#112233', true)
     )
     insert into api_keys (id, organization_id, user_id, type, name, permissions, key_hash, last4)
     values ($7, $1, $5, 'bot', 'Test key', $8, $9, $10)`,
    [
      organization.id,
      `Organization ${next()}`,
      plan,
      suspended,
      organization.botId,
      organization.folderId,
      uuidv7(),
      JSON.stringify(permissions),
      hashToken(organization.key),
      organization.key.slice(-4),
    ],
  );
  return organization;
}

/** Makes a folder. @returns its id. */
export async function createFolder(
  db: Sql,
  organizationId: string,
  {
    id = uuidv7(),
    name = `Folder ${next()}`,
    isDefault = false,
  }: { id?: string; name?: string; isDefault?: boolean } = {},
): Promise<string> {
  await db.query(
    `insert into folders (id, organization_id, name, name_key, color, is_default) values ($1, $2, $3, lower($3), '#112233', $4)`,
    [id, organizationId, name, isDefault],
  );
  return id;
}

/** Makes a domain, of an organization or (null) of the platform. @returns its id and name. */
export async function createDomain(
  db: Sql,
  organizationId: string | null,
  {
    domain = `go${next()}.example`,
    isVerified = true,
    isPrimary = false,
    fallbackUrl = null,
  }: { domain?: string; isVerified?: boolean; isPrimary?: boolean; fallbackUrl?: string | null } = {},
): Promise<{ id: string; domain: string }> {
  const id = uuidv7();
  await db.query(
    `insert into domains (id, organization_id, domain, is_verified, is_primary, fallback_url, txt_record)
     values ($1, $2, $3, $4, $5, $6, 'waymark-verify=test')`,
    [id, organizationId, domain, isVerified, isPrimary, fallbackUrl],
  );
  return { id, domain };
}

/** Makes many domains at once whose next checks are a second apart, the first so many seconds ahead. @returns their ids. */
export async function createDomains(
  db: Sql,
  organizationId: string,
  count: number,
  { firstAheadSeconds, deleted = false }: { firstAheadSeconds: number; deleted?: boolean },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await db.query(
    `insert into domains (id, organization_id, domain, txt_record, next_check_at, deleted_at)
     select id, $2, id || '.example', 'x', now() + ($3 + place) * interval '1 second', case when $4 then now() end
     from unnest($1::uuid[]) with ordinality as d (id, place)`,
    [ids, organizationId, firstAheadSeconds, deleted],
  );
  return ids;
}

/** Makes the row of an uploaded file. @returns its id. */
export async function createFile(db: Sql, organizationId: string, kind: 'meta-tag' | 'qr-code'): Promise<string> {
  const id = uuidv7();
  await db.query(
    `insert into files (id, organization_id, kind, name, key, mime, size) values ($1, $2, $3, 'image.png', $4, 'image/png', 70)`,
    [id, organizationId, kind, `${kind}/${id}.png`],
  );
  return id;
}

/** The id of the platform's domain; other tests of the same database may have made further ones, and deleted them. */
export async function findPlatformDomain(db: Sql): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    'select id from domains where organization_id is null and deleted_at is null and domain = $1',
    [site.platformHost],
  );
  return rows[0]!.id;
}
