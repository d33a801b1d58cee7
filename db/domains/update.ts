import type { Sql } from '#db/connection/database.ts';
import { updatedLater } from '#db/links/update.ts';

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

/** Takes the primary role from whichever domain of an organization has it. */
export async function clearPrimary(tx: Sql, organizationId: string, now: Date): Promise<void> {
  await tx.query(
    `update domains set is_primary = false, ${updatedLater('$2')}
     where organization_id = $1 and is_primary and deleted_at is null`,
    [organizationId, now],
  );
}

/** Gives the primary role, where no domain of an organization has it, to the oldest verified one. */
export async function passPrimary(tx: Sql, organizationId: string, now: Date): Promise<void> {
  await tx.query(
    `update domains set is_primary = true, ${updatedLater('$2')}
     where id = (select id from domains where organization_id = $1 and is_verified and deleted_at is null
         order by created_at, id limit 1)
       and not exists (select from domains where organization_id = $1 and is_primary and deleted_at is null)`,
    [organizationId, now],
  );
}

/** Whether an image exists that an organization may put into QR codes (8.3); nobody deletes it until the transaction ends. */
export async function isQrImage(tx: Sql, id: string, organizationId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from files where id = $1 and organization_id = $2 and kind = 'qr-code' and deleted_at is null for key share`,
    [id, organizationId],
  );
  return rowCount === 1;
}
