import { isForeignKeyViolation } from '#db/connection/errors.ts';
import type { Sql } from '#db/connection/database.ts';
import { type ChangedLinks, gatherChanged } from './notify-changes.ts';
import { updatedLater } from './update.ts';
import { containing, type Paging, readPage } from '#db/connection/paging.ts';

/** A folder as it is read. */
export interface FolderRow {
  id: string;
  organizationId: string;
  name: string;
  color: string;
  isDefault: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const columns = `id, organization_id as "organizationId", name, color, is_default as "isDefault",
  created_at as "createdAt", updated_at as "updatedAt"`;

/** Reads a live folder of any organization. `lock` locks it: `for update` also against links that are put into it. */
export async function readFolder(
  sql: Sql,
  id: string,
  lock: '' | 'for no key update' | 'for update' = '',
): Promise<FolderRow | undefined> {
  const { rows } = await sql.query<FolderRow>(
    `select ${columns} from folders where id = $1 and deleted_at is null ${lock}`,
    [id],
  );
  return rows[0];
}

/** Lists an organization's folders, the default one first, then the most recent. `search` is folded. */
export function listFolders(
  sql: Sql,
  { organizationId, search = '', ...paging }: Paging & { organizationId: string; search: string | undefined },
): Promise<{ count: number; rows: FolderRow[] }> {
  return readPage<FolderRow>(sql, {
    ...paging,
    columns,
    from: 'folders where organization_id = $1 and deleted_at is null and name_key like $2',
    orderBy: 'is_default desc, created_at desc, id desc',
    values: [organizationId, containing(search)],
  });
}

/** Counts an organization's folders for its quota, and looks for a folded name among them. */
export async function countFolders(
  tx: Sql,
  organizationId: string,
  nameKey: string,
): Promise<{ count: number; isTaken: boolean }> {
  const { rows } = await tx.query<{ count: number; isTaken: boolean }>(
    `select count(*) filter (where not is_default) as count, coalesce(bool_or(name_key = $2), false) as "isTaken"
     from folders where organization_id = $1 and deleted_at is null`,
    [organizationId, nameKey],
  );
  return rows[0]!;
}

/** Inserts a folder. */
export async function insertFolder(
  tx: Sql,
  folder: {
    id: string;
    organizationId: string;
    name: string;
    nameKey: string;
    color: string;
    isDefault?: boolean;
    now: Date;
  },
): Promise<void> {
  const { id, organizationId, name, nameKey, color, isDefault = false, now } = folder;
  await tx.query(
    `insert into folders (id, organization_id, name, name_key, color, is_default, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [id, organizationId, name, nameKey, color, isDefault, now],
  );
}

/** Changes a folder's name and color. */
export async function setFolder(
  tx: Sql,
  id: string,
  { name, nameKey, color, now }: { name: string; nameKey: string; color: string; now: Date },
): Promise<void> {
  await tx.query('update folders set name = $2, name_key = $3, color = $4, updated_at = $5 where id = $1', [
    id,
    name,
    nameKey,
    color,
    now,
  ]);
}

/** Moves links of a folder to the organization's default one, `limit` at most. @returns how many, and which. */
export async function emptyFolder(
  tx: Sql,
  { id, organizationId }: { id: string; organizationId: string },
  { now, limit }: { now: Date; limit: number },
): Promise<{ count: number; changed: ChangedLinks[] }> {
  const { rows } = await tx.query<{ count: number; changed: ChangedLinks[] | null }>({
    name: 'folders-empty',
    // Lock order: links by id (docs/locks.md).
    text: `with held as materialized (
        select id from short_links where folder_id = $1 and deleted_at is null order by id limit $4 for update
      ), moved as (
        update short_links set ${updatedLater('$3')},
          folder_id = (select id from folders where organization_id = $2 and is_default and deleted_at is null)
        where id in (select id from held)
        returning domain_id, slug)
      select (select count(*) from moved) as count, (select json_agg(c) from (${gatherChanged('moved')}) c) as changed`,
    values: [id, organizationId, now, limit],
  });
  const { count, changed } = rows[0]!;
  return { count, changed: changed ?? [] };
}

/** Deletes a folder; its name is free at once. */
export async function tombstoneFolder(tx: Sql, id: string, now: Date): Promise<void> {
  await tx.query('update folders set deleted_at = $2 where id = $1', [id, now]);
}

/** Removes a deleted folder. @returns false while rows of its deleted links exist. */
export async function removeFolder(sql: Sql, id: string): Promise<boolean> {
  try {
    await sql.query('delete from folders where id = $1 and deleted_at is not null', [id]);
    return true;
  } catch (error) {
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
}
