import type { ImportFormat } from '#core/imports/row-reader.ts';
import type { Plan } from '#core/organizations/plans.ts';
import type { Sql, Transaction } from '#db/connection/database.ts';
import { enqueue, onEnqueuedAgain } from '#db/outbox.ts';

type ImportState = 'pending' | 'running' | 'completed' | 'failed';
type ImportRowState = 'imported' | 'skipped' | 'failed';

/** An import as it is read. */
export interface ImportRow {
  id: string;
  organizationId: string;
  state: ImportState;
  total: number;
  imported: number;
  skipped: number;
  failed: number;
  createdAt: Date;
  finishedAt: Date | null;
}

interface ImportInsert {
  id: string;
  organizationId: string;
  createdBy: string;
  format: ImportFormat;
  header: readonly string[];
  domainId: string | null;
  folderId: string | null;
  /** Size of the file. */
  bytes: number;
  total: number;
  now: Date;
}

/** The part of its share of imports that an organization has used. */
interface ImportUse {
  unfinished: number;
  /** Bytes of the files of the last 24 hours, and when the oldest of them arrived; null: there are none. */
  bytes: number;
  oldestAt: Date | null;
}

/** An import whose workflow is to be started. */
export interface ImportTarget {
  id: string;
  organizationId: string;
  /** Name of the organization. */
  organization: string;
  format: ImportFormat;
  total: number;
}

/** An import that the transaction has locked, to import rows. */
export interface HeldImport extends ImportRow {
  createdBy: string;
  format: ImportFormat;
  header: string[];
  domainId: string | null;
  folderId: string | null;
  /** The organization's plan now; null where it is deleted or suspended. */
  plan: Plan | null;
}

/** Result of a row, with its reason. */
export interface RowResult {
  row: number;
  state: ImportRowState;
  shortLinkId: string | null;
  error: string | null;
}

// A choice: an import that no activity has touched for this long counts as lost. With the relay's interval that is below a
// minute (12.5).
const silenceMs = 30_000;
// A choice: rows that are read are in memory several times over.
const charactersAtOnce = 1_000_000;
const dueAt = `now() + ${silenceMs} * interval '1 millisecond'`;
const columns = `i.id, i.organization_id as "organizationId", i.state, i.total, i.imported, i.skipped, i.failed,
  i.created_at as "createdAt", i.finished_at as "finishedAt"`;

/** Inserts an import, and enqueues it; its rows follow in the same transaction. */
export async function insertImport(tx: Transaction, item: ImportInsert): Promise<void> {
  await tx.query(
    `insert into imports (id, organization_id, created_by, format, header, domain_id, folder_id, bytes, total, created_at, due_at)
     select "id", "organizationId", "createdBy", "format", "header", "domainId", "folderId", "bytes", "total", "now", ${dueAt}
     from jsonb_to_record($1::jsonb) as x("id" uuid, "organizationId" uuid, "createdBy" uuid, "format" text, "header" text[],
       "domainId" uuid, "folderId" uuid, "bytes" int, "total" int, "now" timestamptz)`,
    [JSON.stringify(item)],
  );
  await enqueue(tx, 'import', [item.id]);
}

/** Reads how much of its share of imports an organization has used. */
export async function readImportUse(sql: Sql, organizationId: string, now: Date): Promise<ImportUse> {
  const { rows } = await sql.query<ImportUse>({
    name: 'imports-use',
    text: `
      select (select count(*) from imports where organization_id = $1 and finished_at is null) as unfinished,
        coalesce(sum(bytes), 0)::bigint as bytes, min(created_at) as "oldestAt"
      from imports where organization_id = $1 and created_at > $2::timestamptz - interval '1 day'`,
    values: [organizationId, now],
  });
  return rows[0]!;
}

/** Inserts rows of an import, numbered from `first`. */
export async function insertImportRows(
  tx: Sql,
  importId: string,
  first: number,
  rows: readonly (readonly string[])[],
): Promise<void> {
  await tx.query({
    name: 'import-rows-insert',
    text: `insert into import_rows (import_id, row, fields)
      select $1, $2::int + place::int - 1, fields from json_array_elements($3::json) with ordinality as added (fields, place)`,
    // One JSON text: the driver writes arrays character by character.
    values: [importId, first, JSON.stringify(rows)],
  });
}

/** Reads an import of any organization. */
export async function readImport(sql: Sql, id: string): Promise<ImportRow | undefined> {
  const { rows } = await sql.query<ImportRow>(`select ${columns} from imports i where i.id = $1`, [id]);
  return rows[0];
}

/** Lists results of rows, in their order. @param state only these; undefined: all handled rows. */
export async function listImportRows(
  sql: Sql,
  importId: string,
  { state, limit, page }: { state?: ImportRowState | undefined; limit: number; page: number },
): Promise<RowResult[]> {
  const { rows } = await sql.query<RowResult>(
    `select row, state, short_link_id as "shortLinkId", error from import_rows
     where import_id = $1 and ${state === undefined ? 'state is not null and $2::text is null' : 'state = $2'}
     order by row limit $3 offset $4`,
    [importId, state ?? null, limit, page * limit],
  );
  return rows;
}

/**
 * Locks an import until the end of the transaction: no other worker imports its rows meanwhile. @returns undefined where it is
 * gone.
 */
export async function holdImport(tx: Sql, id: string): Promise<HeldImport | undefined> {
  const { rows } = await tx.query<HeldImport>(
    `select ${columns}, i.created_by as "createdBy", i.format, i.header, i.domain_id as "domainId",
       i.folder_id as "folderId", o.plan
     from imports i
     left join organizations o on o.id = i.organization_id and o.deleted_at is null and o.suspended_at is null
     where i.id = $1 for no key update of i`,
    [id],
  );
  return rows[0];
}

/**
 * Reads the next rows to import, fewer than `limit` where they are very long. Rows are handled in their order: the number of
 * the last one is the progress.
 */
export async function readNextRows(
  tx: Sql,
  { id, imported, skipped, failed }: HeldImport,
  limit: number,
): Promise<{ row: number; fields: string[] }[]> {
  const done = imported + skipped + failed;
  // With both bounds: without statistics of a table that has just been filled, the planner would read and sort all remaining
  // rows.
  const { rows } = await tx.query<{ row: number; fields: string[] }>(
    `select row, fields from (
       select row, fields, sum(length(fields::text)) over (order by row) - length(fields::text) as before
       from import_rows where import_id = $1 and row > $2 and row <= $3
     ) r where before < $4 order by row`,
    [id, done, done + limit, charactersAtOnce],
  );
  return rows;
}

/** Stores results of rows, adds them to the counts, and marks the import as under way. */
export async function storeRowResults(tx: Sql, importId: string, results: readonly RowResult[]): Promise<void> {
  const numbers = results.map(({ row }) => row);
  await tx.query(
    `with done as (
       update import_rows r set state = d.state, short_link_id = d.short_link_id, error = d.error, fields = null
       from unnest($2::int[], $3::text[], $4::uuid[], $5::text[]) d (row, state, short_link_id, error)
       where r.import_id = $1 and r.row = d.row and r.state is null
         -- With both bounds, as in readNextRows.
         and r.row between $6 and $7
       returning r.state
     )
     update imports set state = 'running', due_at = ${dueAt},
       imported = imported + (select count(*) from done where done.state = 'imported'),
       skipped = skipped + (select count(*) from done where done.state = 'skipped'),
       failed = failed + (select count(*) from done where done.state = 'failed')
     where id = $1`,
    [
      importId,
      numbers,
      results.map(({ state }) => state),
      results.map(({ shortLinkId }) => shortLinkId),
      results.map(({ error }) => error),
      Math.min(...numbers),
      Math.max(...numbers),
    ],
  );
}

/** Ends an import. */
export async function finishImport(
  tx: Sql,
  { id, state, now }: { id: string; state: 'completed' | 'failed'; now: Date },
): Promise<void> {
  await tx.query('update imports set state = $2, finished_at = $3, due_at = null where id = $1', [id, state, now]);
}

/** Lists imports of all organizations, the most recent first. */
export async function listImports(
  sql: Sql,
  {
    organizationId,
    isUnfinished,
    limit,
  }: { organizationId?: string | undefined; isUnfinished: boolean; limit: number },
): Promise<ImportRow[]> {
  const { rows } = await sql.query<ImportRow>(
    `select ${columns} from imports i
     where ($1::uuid is null or i.organization_id = $1) and (not $2 or i.finished_at is null) order by i.id desc limit $3`,
    [organizationId ?? null, isUnfinished, limit],
  );
  return rows;
}

/** Reads the imports whose workflows are to be started; ended ones are left out. */
export async function listImportTargets(sql: Sql, ids: readonly string[]): Promise<ImportTarget[]> {
  const { rows } = await sql.query<ImportTarget>({
    name: 'imports-targets',
    text: `select i.id, i.organization_id as "organizationId", o.name as organization, i.format, i.total
      from imports i join organizations o on o.id = i.organization_id
      where i.id = any($1::uuid[]) and i.finished_at is null`,
    values: [ids],
  });
  return rows;
}

/** Enqueues imports again that no activity has touched in time. @returns how many. */
export async function requeueOverdueImports(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'imports-overdue',
    text: `
      with overdue as materialized (
        select id from imports where due_at < now() order by due_at limit $1 for update skip locked
      ), moved as (
        update imports i set due_at = ${dueAt} from overdue o where i.id = o.id
      )
      insert into outbox (kind, subject_id) select 'import', id from overdue order by 2 ${onEnqueuedAgain}`,
    values: [limit],
  });
  return rowCount ?? 0;
}

/** Removes some imports that are older than 30 days (12.4). @returns whether there may be more. */
export async function forgetOldImports(sql: Sql, limit: number): Promise<boolean> {
  const { rows } = await sql.query<{ id: string }>(
    `select id from imports where finished_at < now() - interval '30 days' order by finished_at limit 1`,
  );
  const id = rows[0]?.id;
  if (id === undefined) return false;
  const { rowCount } = await sql.query(
    'delete from import_rows where ctid = any(array(select ctid from import_rows where import_id = $1 limit $2))',
    [id, limit],
  );
  if (rowCount === 0) await sql.query('delete from imports where id = $1', [id]);
  return true;
}
