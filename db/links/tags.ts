import type { Sql } from '#db/connection/database.ts';
import { type ChangedLinks, gatherChanged } from './notify-changes.ts';
import { containing, type Paging, readPage } from '#db/connection/paging.ts';

/** A tag as it is read. */
export interface TagRow {
  id: string;
  organizationId: string;
  name: string;
  color: string;
  createdAt: Date;
  updatedAt: Date;
}

const columns = `id, organization_id as "organizationId", name, color, created_at as "createdAt",
  updated_at as "updatedAt"`;

/** Reads a live tag of any organization. `lock` locks it: `for update` also against links that get it. */
export async function readTag(
  sql: Sql,
  id: string,
  lock: '' | 'for no key update' | 'for update' = '',
): Promise<TagRow | undefined> {
  const { rows } = await sql.query<TagRow>(`select ${columns} from tags where id = $1 and deleted_at is null ${lock}`, [
    id,
  ]);
  return rows[0];
}

/** Lists an organization's tags, the most recent first. `search` is folded. */
export function listTags(
  sql: Sql,
  { organizationId, search = '', ...paging }: Paging & { organizationId: string; search: string | undefined },
): Promise<{ count: number; rows: TagRow[] }> {
  return readPage<TagRow>(sql, {
    ...paging,
    columns,
    from: 'tags where organization_id = $1 and deleted_at is null and name_key like $2',
    orderBy: 'created_at desc, id desc',
    values: [organizationId, containing(search)],
  });
}

/** Counts an organization's tags, and looks for a folded name among them. */
export async function countTags(
  tx: Sql,
  organizationId: string,
  nameKey: string,
): Promise<{ count: number; isTaken: boolean }> {
  const { rows } = await tx.query<{ count: number; isTaken: boolean }>(
    `select count(*) as count, coalesce(bool_or(name_key = $2), false) as "isTaken"
     from tags where organization_id = $1 and deleted_at is null`,
    [organizationId, nameKey],
  );
  return rows[0]!;
}

/** Counts an organization's tags, and finds some by folded name, locking these against deletion. */
export async function holdTags(
  tx: Sql,
  organizationId: string,
  nameKeys: readonly string[],
): Promise<{ count: number; found: { nameKey: string; id: string }[] }> {
  const { rows } = await tx.query<{ count: number; found: { nameKey: string; id: string }[] }>(
    `select (select count(*) from tags where organization_id = $1 and deleted_at is null) as count,
       (select coalesce(json_agg(json_build_object('nameKey', name_key, 'id', id)), '[]')
         from (
           select id, name_key from tags
           where organization_id = $1 and name_key = any($2::text[]) and deleted_at is null
           for key share) t) as found`,
    [organizationId, nameKeys],
  );
  return rows[0]!;
}

/** Inserts a tag. */
export async function insertTag(
  tx: Sql,
  tag: { id: string; organizationId: string; name: string; nameKey: string; color: string; now: Date },
): Promise<void> {
  const { id, organizationId, name, nameKey, color, now } = tag;
  await tx.query(
    `insert into tags (id, organization_id, name, name_key, color, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)`,
    [id, organizationId, name, nameKey, color, now],
  );
}

/** Changes a tag's name and color. */
export async function setTag(
  tx: Sql,
  id: string,
  { name, nameKey, color, now }: { name: string; nameKey: string; color: string; now: Date },
): Promise<void> {
  await tx.query('update tags set name = $2, name_key = $3, color = $4, updated_at = $5 where id = $1', [
    id,
    name,
    nameKey,
    color,
    now,
  ]);
}

/** Deletes a tag and takes it off its links; its name is free at once. @returns the links that had it. */
export async function tombstoneTag(tx: Sql, id: string, now: Date): Promise<ChangedLinks[]> {
  await tx.query('update tags set deleted_at = $2 where id = $1', [id, now]);
  const { rows } = await tx.query<ChangedLinks>(
    `with untagged as (delete from link_tags where tag_id = $1 returning link_id),
       changed as (select l.domain_id, l.slug from untagged u join short_links l on l.id = u.link_id
         where l.deleted_at is null)
     ${gatherChanged('changed')}`,
    [id],
  );
  return rows;
}
