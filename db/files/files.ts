import type { FileKind } from '#core/files/kinds.ts';
import type { Sql } from '#db/connection/database.ts';
import { type Paging, readPage } from '#db/connection/paging.ts';

/** A file as it is read. */
export interface FileRow {
  id: string;
  organizationId: string;
  kind: FileKind;
  /** Name of the uploaded file. */
  name: string;
  /** Key of the object in the storage. */
  key: string;
  mime: string;
  /** Bytes. */
  size: number;
  /** Random part of its public address. */
  urlKey: string;
  createdAt: Date;
}

const columns = `id, organization_id as "organizationId", kind, name, key, mime, size, url_key as "urlKey",
  created_at as "createdAt"`;

// References of deleted links and domains do not count.
const isUsed = `(
  exists (select from meta_tags m join short_links l on l.id = m.link_id where m.image_id = f.id and l.deleted_at is null)
  or exists (
    select from qr_codes q where q.image_id = f.id and (
      exists (select from short_links l where l.qr_code_id = q.id and l.deleted_at is null)
      or exists (select from domains d where d.qr_code_id = q.id and d.deleted_at is null))))`;

/** Reads a live file of any organization; `for update` locks it against new references. */
export async function readFile(sql: Sql, id: string, lock: '' | 'for update' = ''): Promise<FileRow | undefined> {
  const { rows } = await sql.query<FileRow>(
    `select ${columns} from files where id = $1 and deleted_at is null ${lock}`,
    [id],
  );
  return rows[0];
}

/** Finds a live file by the random part of its address; files of suspended and deleted organizations are not public (2.9). */
export async function findPublicFile(sql: Sql, urlKey: string): Promise<FileRow | undefined> {
  const { rows } = await sql.query<FileRow>(
    `select ${columns} from files f where url_key = $1 and deleted_at is null
       and exists (select from organizations o where o.id = f.organization_id and o.suspended_at is null and o.deleted_at is null)`,
    [urlKey],
  );
  return rows[0];
}

/** Lists an organization's files, most recent first. */
export function listFiles(
  sql: Sql,
  { organizationId, ...paging }: Paging & { organizationId: string },
): Promise<{ count: number; rows: FileRow[] }> {
  return readPage<FileRow>(sql, {
    ...paging,
    columns,
    from: 'files where organization_id = $1 and deleted_at is null',
    orderBy: 'created_at desc, id desc',
    values: [organizationId],
  });
}

/** Inserts the row of a file whose object is still to be stored: it counts as deleted until then. */
export async function insertHiddenFile(
  tx: Sql,
  file: Omit<FileRow, 'urlKey' | 'createdAt'> & { now: Date },
): Promise<void> {
  const { id, organizationId, kind, name, key, mime, size, now } = file;
  await tx.query(
    `insert into files (id, organization_id, kind, name, key, mime, size, created_at, unused_since, deleted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, now())`,
    [id, organizationId, kind, name, key, mime, size, now],
  );
}

/** Shows a file whose object is stored. @returns whether its row still exists. */
export async function showFile(tx: Sql, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('update files set deleted_at = null where id = $1', [id]);
  return rowCount === 1;
}

/** Adds up the bytes of an organization's files: of visible ones, and of those whose objects are still to be removed. */
export async function sumFileBytes(sql: Sql, organizationId: string): Promise<{ shown: number; leaving: number }> {
  const { rows } = await sql.query<{ shown: number; leaving: number }>(
    `select coalesce(sum(size) filter (where deleted_at is null), 0)::bigint as shown,
       coalesce(sum(size) filter (where deleted_at is not null), 0)::bigint as leaving
     from files where organization_id = $1`,
    [organizationId],
  );
  return rows[0]!;
}

/** Whether a live link or domain refers to a file. */
export async function isFileUsed(sql: Sql, id: string): Promise<boolean> {
  const { rows } = await sql.query<{ used: boolean }>(`select ${isUsed} as used from files f where f.id = $1`, [id]);
  return rows[0]?.used ?? false;
}

/** Deletes a file; its object stays until the sweep. */
export async function tombstoneFile(tx: Sql, id: string, now: Date): Promise<void> {
  await tx.query('update files set deleted_at = $2 where id = $1', [id, now]);
}

/** Records which live files have come into use, and which have fallen out of it, since the last sweep. */
export async function noteFileUse(sql: Sql): Promise<void> {
  await sql.query(`
    update files f set unused_since = case when ${isUsed} then null else now() end
    where f.deleted_at is null and (f.unused_since is null) <> ${isUsed}`);
}

/** Deletes files that have been unused for so long. @returns how many. */
export async function tombstoneUnusedFiles(tx: Sql, unusedForMs: number): Promise<number> {
  const limit = `now() - $1 * interval '1 millisecond'`;
  const { rows } = await tx.query<{ id: string }>(
    `select id from files where deleted_at is null and unused_since < ${limit} order by id for update`,
    [unusedForMs],
  );
  // Checked again under the lock: a call may have referred to one a moment ago.
  const { rowCount } = await tx.query(
    `update files f set deleted_at = now() where f.id = any($1::uuid[]) and not ${isUsed}`,
    [rows.map(({ id }) => id)],
  );
  return rowCount ?? 0;
}

/** Restores deleted files that a concurrent call had referred to. @returns how many. */
export async function reviveUsedFiles(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query(
    `update files f set deleted_at = null, unused_since = null where f.deleted_at is not null and ${isUsed}`,
  );
  return rowCount ?? 0;
}

/** Lists files that were deleted so long ago that no call under way can refer to them, the first `limit`. */
export async function listDeletedFiles(
  sql: Sql,
  { deletedForMs, limit }: { deletedForMs: number; limit: number },
): Promise<{ id: string; key: string }[]> {
  const { rows } = await sql.query<{ id: string; key: string }>(
    `select id, key from files where deleted_at < now() - $1 * interval '1 millisecond' order by deleted_at, id limit $2`,
    [deletedForMs, limit],
  );
  return rows;
}

/** Removes the row of a deleted file, and the references of deleted links and domains to it. */
export async function removeFileRow(tx: Sql, id: string): Promise<void> {
  await tx.query('update meta_tags set image_id = null where image_id = $1', [id]);
  await tx.query('update qr_codes set image_id = null where image_id = $1', [id]);
  await tx.query('delete from files where id = $1 and deleted_at is not null', [id]);
}
