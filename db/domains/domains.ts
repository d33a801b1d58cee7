import type { QrOptions } from '#core/links/qr-options.ts';
import type { Sql } from '#db/connection/database.ts';
import { containing, type Paging, readPage } from '#db/connection/paging.ts';

/** A domain as it is read; `organizationId` is null for a platform domain. */
export interface DomainView {
  id: string;
  organizationId: string | null;
  domain: string;
  isActive: boolean;
  isVerified: boolean;
  isPrimary: boolean;
  txtRecord: string;
  lastCheckedAt: Date | null;
  qrCodeId: string | null;
  qrCode: { options: QrOptions; imageId: string | null } | null;
  fallbackUrl: string | null;
  /** Parsed JSON. */
  appleAppSiteAssociation: unknown;
  /** Parsed JSON. */
  androidAssetLinks: unknown;
  createdAt: Date;
  updatedAt: Date;
}

const columns = `d.id, d.organization_id as "organizationId", d.domain, d.is_active as "isActive",
  d.is_verified as "isVerified", d.is_primary as "isPrimary", d.txt_record as "txtRecord",
  d.last_checked_at as "lastCheckedAt", d.qr_code_id as "qrCodeId",
  case when q.id is not null then json_build_object('options', q.options, 'imageId', q.image_id) end as "qrCode",
  d.fallback_url as "fallbackUrl", (d.apple_app_site_association #>> '{}')::json as "appleAppSiteAssociation",
  (d.android_asset_links #>> '{}')::json as "androidAssetLinks", d.created_at as "createdAt", d.updated_at as "updatedAt"`;
const from = 'domains d left join qr_codes q on q.id = d.qr_code_id';

/** Reads a live domain of any organization. `lock` holds it: `for update` against links that are put on it, too. */
export async function readDomain(
  sql: Sql,
  id: string,
  lock: '' | 'for no key update of d' | 'for update of d' = '',
): Promise<DomainView | undefined> {
  const { rows } = await sql.query<DomainView>(
    `select ${columns} from ${from} where d.id = $1 and d.deleted_at is null ${lock}`,
    [id],
  );
  return rows[0];
}

/**
 * Lists an organization's domains by their date of creation.
 * @param search terms, one of which a name must contain; empty: every domain.
 */
export function listDomains(
  sql: Sql,
  { organizationId, search, ...paging }: Paging & { organizationId: string; search: readonly string[] },
): Promise<{ count: number; rows: DomainView[] }> {
  const patterns = search.map(containing);
  return readPage<DomainView>(sql, {
    ...paging,
    columns,
    from: `${from} where d.organization_id = $1 and d.deleted_at is null
      and (cardinality($2::text[]) = 0 or d.domain like any($2::text[]))`,
    orderBy: 'd.created_at, d.id',
    values: [organizationId, patterns],
  });
}

/** Reads all domains that an organization's links may be on: the primary one first, its others by date, the platform's. */
export async function readUsableDomains(sql: Sql, organizationId: string): Promise<DomainView[]> {
  const { rows } = await sql.query<DomainView>(
    `select ${columns} from ${from}
     where (d.organization_id = $1 or (d.organization_id is null and d.is_active)) and d.deleted_at is null
     order by d.is_primary desc, d.organization_id is null, d.created_at, d.id`,
    [organizationId],
  );
  return rows;
}

/** What stands in the way of a new domain: how many the organization has, and who has the name already. */
export async function readDomainClaims(
  tx: Sql,
  organizationId: string,
  domain: string,
): Promise<{ count: number; isOwn: boolean; holder: 'platform' | 'organization' | null }> {
  const { rows } = await tx.query<{ count: number; isOwn: boolean; holder: 'platform' | 'organization' | null }>(
    `select
       (select count(*) from domains where organization_id = $1 and deleted_at is null) as count,
       exists (select from domains where organization_id = $1 and domain = $2 and deleted_at is null) as "isOwn",
       (select case when organization_id is null then 'platform' else 'organization' end
         from domains where domain = $2 and is_verified and deleted_at is null) as holder`,
    [organizationId, domain],
  );
  return rows[0]!;
}

/** Writes a new domain, not verified; its first check is due. */
export async function insertDomain(
  tx: Sql,
  domain: {
    id: string;
    organizationId: string;
    domain: string;
    isPrimary: boolean;
    txtRecord: string;
    qrCodeId: string | null;
    now: Date;
  },
): Promise<void> {
  await tx.query(
    `insert into domains (id, organization_id, domain, is_primary, txt_record, qr_code_id, created_at, updated_at,
       next_check_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $7)`,
    [domain.id, domain.organizationId, domain.domain, domain.isPrimary, domain.txtRecord, domain.qrCodeId, domain.now],
  );
}
