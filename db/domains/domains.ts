import type { QrOptions } from '#core/links/qr-code.ts';
import type { Sql } from '#db/connection/database.ts';
import { containing, type Paging, readPage } from '#db/connection/paging.ts';
import { updatedLater } from '#db/links/update.ts';

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

/** Reads all domains that an organization's links may be on: the primary one, its others by date, the platform's. */
export async function readUsableDomains(sql: Sql, organizationId: string): Promise<DomainView[]> {
  const { rows } = await sql.query<DomainView>(
    `select ${columns} from ${from}
     where (d.organization_id = $1 or (d.organization_id is null and d.is_active)) and d.deleted_at is null
     order by d.is_primary desc, d.organization_id is null, d.created_at, d.id`,
    [organizationId],
  );
  return rows;
}

/** Reads what may refuse a new domain: how many the organization has, and which organization has verified the name. */
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

/** Inserts an unverified domain; its first check is due. */
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

/** Columns of `domains` that an update may set, by their names in the database; documents as JSON texts of their JSON text. */
export type DomainColumns = Partial<{
  is_active: boolean;
  is_verified: boolean;
  is_primary: boolean;
  last_checked_at: Date;
  qr_code_id: string | null;
  fallback_url: string | null;
  apple_app_site_association: string | null;
  android_asset_links: string | null;
  deleted_at: Date;
}>;

/** Sets columns of a domain and its `updated_at`. */
export async function setDomainColumns(tx: Sql, id: string, columns: DomainColumns, now: Date): Promise<void> {
  const assignments = Object.keys(columns).map((name, index) => `${name} = $${index + 3}`);
  await tx.query(`update domains set ${[updatedLater('$2'), ...assignments].join(', ')} where id = $1`, [
    id,
    now,
    ...Object.values(columns),
  ]);
}

/** Takes the primary role away from the organization's domain that has it. */
export async function clearPrimary(tx: Sql, organizationId: string, now: Date): Promise<void> {
  await tx.query(
    `update domains set is_primary = false, ${updatedLater('$2')}
     where organization_id = $1 and is_primary and deleted_at is null`,
    [organizationId, now],
  );
}

/** Gives the primary role to the oldest verified domain of an organization, unless one has it. */
export async function passPrimary(tx: Sql, organizationId: string, now: Date): Promise<void> {
  await tx.query(
    `update domains set is_primary = true, ${updatedLater('$2')}
     where id = (select id from domains where organization_id = $1 and is_verified and deleted_at is null
         order by created_at, id limit 1)
       and not exists (select from domains where organization_id = $1 and is_primary and deleted_at is null)`,
    [organizationId, now],
  );
}

/** Whether an organization may put an image into QR codes (8.3); locks it against deletion until the transaction ends. */
export async function isQrImage(tx: Sql, id: string, organizationId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from files where id = $1 and organization_id = $2 and kind = 'qr-code' and deleted_at is null for key share`,
    [id, organizationId],
  );
  return rowCount === 1;
}
