import type { QrOptions } from '#core/links/qr-code.ts';
import type { Sql } from '#db/connection/database.ts';

/** A domain that a new link may be put on. `organizationId` is null for platform domains. */
export interface DomainRow {
  id: string;
  organizationId: string | null;
  domain: string;
  isVerified: boolean;
  isActive: boolean;
  isPrimary: boolean;
  /** ISO 8601. */
  createdAt: string;
  qrOptions: QrOptions | null;
  qrImageId: string | null;
}

export interface FolderRow {
  id: string;
  organizationId: string;
  isDefault: boolean;
  name: string;
  color: string;
}

/** The rows that a set of drafts refers to, of any organization. */
export interface ReferencedRows {
  domains: DomainRow[];
  folders: FolderRow[];
  files: { id: string; organizationId: string; kind: 'meta-tag' | 'qr-code' }[];
  tags: { organizationId: string; nameKey: string; name: string; id: string }[];
  /** The hosts among the drafts' destinations that are verified domains, or domains of `organizationIds`. */
  ownHosts: string[];
}

/** References of a set of drafts: ids, names, and the organizations whose defaults they take. */
interface ReferenceKeys {
  organizationIds: string[];
  platformHost: string;
  domainIds: string[];
  domainNames: string[];
  folderIds: string[];
  fileIds: string[];
  tagKeys: string[];
  /** Hosts of all web addresses that drafts lead to. */
  hosts: string[];
}

const selectContext = `
  select (select coalesce(json_agg(json_build_object('id', d.id, 'organizationId', d.organization_id, 'domain', d.domain,
        'isVerified', d.is_verified, 'isActive', d.is_active, 'isPrimary', d.is_primary, 'createdAt', d.created_at,
        'qrOptions', q.options, 'qrImageId', q.image_id)), '[]')
      from (
        select * from domains
        where deleted_at is null and (
          id = any($2::uuid[])
          or (domain = any($3::text[]) and (organization_id = any($1::uuid[]) or organization_id is null))
          or (organization_id = any($1::uuid[]) and is_primary)
          or (organization_id is null and domain = $4))
        for key share) d
      left join qr_codes q on q.id = d.qr_code_id) as domains,
    (select coalesce(json_agg(json_build_object('id', id, 'organizationId', organization_id, 'isDefault', is_default,
        'name', name, 'color', color)), '[]')
      from (
        -- With the organization, whose delete waits for links that are being made: they have no foreign key to it (ADR 66).
        select f.* from folders f join organizations o on o.id = f.organization_id
        where f.deleted_at is null and (f.id = any($5::uuid[]) or (f.organization_id = any($1::uuid[]) and f.is_default))
        for key share) f) as folders,
    (select coalesce(json_agg(json_build_object('id', id, 'organizationId', organization_id, 'kind', kind)), '[]')
      from (select * from files where deleted_at is null and id = any($6::uuid[]) for key share) i) as files,
    (select coalesce(json_agg(json_build_object('id', id, 'organizationId', organization_id, 'nameKey', name_key, 'name', name)), '[]')
      from (
        select * from tags where deleted_at is null and organization_id = any($1::uuid[]) and name_key = any($7::text[])
        for key share) t) as tags,
    (select coalesce(json_agg(h.domain), '[]') from (
      select domain from domains where domain = any($8::text[]) and is_verified and deleted_at is null
      union
      select domain from domains
        where domain = any($8::text[]) and organization_id = any($1::uuid[]) and deleted_at is null) h) as "ownHosts"`;

// By hand: every create of a link runs it (bench row C1).
/** Reads all rows that a set of drafts refers to, in one statement, and locks them and their organizations against deletion. */
export async function readReferencedRows(sql: Sql, keys: ReferenceKeys): Promise<ReferencedRows> {
  const { rows } = await sql.query<ReferencedRows>({
    name: 'read-link-context',
    text: selectContext,
    values: [
      keys.organizationIds,
      keys.domainIds,
      keys.domainNames,
      keys.platformHost,
      keys.folderIds,
      keys.fileIds,
      keys.tagKeys,
      keys.hosts,
    ],
  });
  return rows[0]!;
}
