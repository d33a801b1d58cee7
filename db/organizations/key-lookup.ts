import type { Permissions } from '#core/organizations/permissions.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { Sql } from '#db/connection/database.ts';
import { clock, countCalls, type CountRow, type RateGrant, type RateLimits, toGrant } from '#db/rate-limits.ts';

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
  /** What staff tell about the suspension. */
  suspensionReason: string | null;
  /** Folders and domains to which it is restricted; null: none. */
  folderIds: string[] | null;
  domainIds: string[] | null;
}

export interface CalledKey {
  /** Undefined: there is no live key with the value. */
  key: KeyRow | undefined;
  /** Whether the key may be used from the address; otherwise the call does not count for it. */
  isAllowed: boolean;
}

// A user key ends with its holder's membership; its permission `apiKeys` is for present owners and admins (2.5).
const takeStatement = `with ${clock}, key as (
    select k.id, k.organization_id as "organizationId", k.user_id as "userId",
      case when k.type = 'user' and m.role <> 'member' then k.permissions else k.permissions - 'apiKeys' end as permissions,
      o.plan, o.suspended_at is not null as "isSuspended", o.suspension_reason as "suspensionReason",
      k.folder_ids as "folderIds", k.domain_ids as "domainIds",
      least(k.expires_at, case when k.key_hash <> $4 then k.previous_key_until end) as "endsAt",
      coalesce($5::inet <<= any (k.allowed_addresses::inet[]), k.allowed_addresses is null) as "isAllowed"
    from api_keys k join organizations o on o.id = k.organization_id
      left join memberships m on m.organization_id = k.organization_id and m.user_id = k.user_id
    where (k.key_hash = $4 or k.previous_key_hash = $4) and k.deleted_at is null and o.deleted_at is null
      and (k.type <> 'user' or m.role is not null)
  ), counted as (${countCalls(`'key:' || key.id`, 'cross join key where "isAllowed" and $1 > 0')})
  select key.*, counted.* from key left join counted on true`;

/**
 * Finds a live key by the SHA-256 of its value, or of the one before its last rotation, and counts calls with it. A revoked or changed
 * key is noticed with the next call, because every call reads it.
 * @param count of calls; 0 reads the key alone.
 * @param address of the client, as `spellAddress` spells it; null: none that can be told, which is in no range.
 * @returns `calls`: undefined where none was counted.
 */
// By hand: every call with a key runs it before the route.
export async function takeKeyCalls(
  sql: Sql,
  { keyHash, address, count, limits }: { keyHash: Buffer; address: string | null; count: number; limits: RateLimits },
): Promise<CalledKey & { calls: RateGrant | undefined }> {
  const { rows } = await sql.query<KeyRow & { isAllowed: boolean } & (CountRow | { granted: null })>({
    name: 'take-key-calls',
    text: takeStatement,
    values: [count, limits.perSecond, limits.perMinute, keyHash, address],
  });
  const [row] = rows;
  const calls = row === undefined || row.granted === null ? undefined : toGrant(row);
  return { key: row, isAllowed: row?.isAllowed ?? false, calls };
}
