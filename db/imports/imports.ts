import type { ImportState } from '#core/imports/states.ts';
import { sql } from 'kysely';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { type CursorPaging, offsetOf, olderThan, type Paging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import { type Import, ImportRow } from '#db/entities/imports.ts';
import { silenceMs } from '#db/outbox-rows.ts';

type ImportRowState = NonNullable<ImportRow['state']>;

interface ImportUse {
  unfinished: number;
  /** Bytes of the files of the last 24 hours, and when the oldest of them arrived; null: there are none. */
  bytes: number;
  oldestAt: Date | null;
}

export interface RowResult {
  row: number;
  state: ImportRowState;
  shortLinkId: string | null;
  error: string | null;
}

/** How long an import is kept after its end. */
export const keptMs = 30 * 86_400_000;
// Rows that are read are in memory several times over.
const charactersAtOnce = 1_000_000;

const useStatement = `
  select count(*) filter (where finished_at is null)::int as unfinished,
    coalesce(sum(bytes) filter (where created_at > $2), 0)::float8 as bytes,
    min(created_at) filter (where created_at > $2) as "oldestAt"
  from imports where organization_id = $1`;

export class ImportRepository extends Repository<Import> {
  // By hand: it answers uploads that are refused, of which a client that does not wait sends a hundred a second (bench row V1).
  /** Reads how much of its share of imports an organization has used. */
  async readUse(organizationId: string, now: Date): Promise<ImportUse> {
    const since = new Date(now.getTime() - 86_400_000);
    const em = this.em as EntityManager;
    const { rows } = await em.query<ImportUse>({
      name: 'import-use',
      text: useStatement,
      values: [organizationId, since],
    });
    return rows[0]!;
  }

  /** Lists handled rows, in their order. @param state only these; undefined: all. */
  listRows(id: string, { state, ...paging }: Paging & { state?: ImportRowState | undefined }): Promise<ImportRow[]> {
    const handled = { import: id, state: state ?? { $ne: null } };
    return this.em.find(ImportRow, handled, { orderBy: { row: 'asc' }, ...offsetOf(paging) });
  }

  /**
   * Lists imports of an organization, the most recent first, and one more than `limit` where a page follows.
   * @param states only these; empty: all.
   */
  listPage(
    organizationId: string,
    { states, ...paging }: CursorPaging & { states: readonly ImportState[] },
  ): Promise<[Import[], number]> {
    const wanted = states.length > 0 ? { state: { $in: [...states] } } : {};
    return this.findPage(wanted, paging, paging.after && olderThan(paging.after), {
      filters: { tenant: { organizationId } },
      orderBy: { createdAt: 'desc', id: 'desc' },
    });
  }

  /** Removes the rows of an import that are not handled. */
  async dropRest(ended: Import): Promise<void> {
    await this.em.nativeDelete(ImportRow, { import: ended.id, row: { $gt: ended.countDone() } });
  }

  /** Lists imports of one organization, or of all, the most recent first. */
  listAll(filter: { organizationId?: string | undefined; isUnfinished: boolean; limit: number }): Promise<Import[]> {
    const { organizationId, isUnfinished, limit } = filter;
    return this.find(
      {
        ...(organizationId !== undefined && { organization: organizationId }),
        ...(isUnfinished && { finishedAt: null }),
      },
      { orderBy: { id: 'desc' }, limit },
    );
  }

  /** Removes some imports that are older than 30 days. @returns whether there may be more. */
  async forgetOld(limit: number, now: Date): Promise<boolean> {
    const old = await this.findOne(
      // The rows of an undo say what is left to do.
      { finishedAt: { $lt: new Date(now.getTime() - keptMs) }, state: { $ne: 'undoing' } },
      { orderBy: { finishedAt: 'asc' } },
    );
    if (old === null) return false;
    const rows = await this.em.find(ImportRow, { import: old.id }, { fields: ['row'], orderBy: { row: 'asc' }, limit });
    const last = rows.at(-1);
    if (last === undefined) await this.nativeDelete({ id: old.id });
    else await this.em.nativeDelete(ImportRow, { import: old.id, row: { $lte: last.row } });
    return true;
  }
}

// By hand: one statement inserts a thousand rows, beside the calls of other organizations (bench row V1).
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

/**
 * Reads the next rows to import, fewer than `limit` where they are very long. Rows are handled in their order: the number of
 * the last one is the progress.
 */
export function readNextRows(
  em: EntityManager,
  imported: Import,
  limit: number,
): Promise<{ row: number; fields: string[] }[]> {
  const done = imported.countDone();
  return em.kysely
    .selectFrom(({ selectFrom }) =>
      selectFrom('ImportRow')
        .select(({ ref }) => [
          'row',
          ref('fields').$notNull().as('fields'),
          sql<number>`sum(length(${ref('fields')}::text)) over (order by ${ref('row')}) - length(${ref('fields')}::text)`.as(
            'before',
          ),
        ])
        .where('import', '=', imported.id)
        // With both bounds: without statistics of a table that has just been filled, the planner would read and sort all
        // remaining rows.
        .where('row', '>', done)
        .where('row', '<=', done + limit)
        .as('next'),
    )
    .select(['row', 'fields'])
    .where('before', '<', charactersAtOnce)
    .orderBy('row')
    .execute();
}

// By hand: every batch of an import ends with it (bench row V1).
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
     update imports set state = 'running', due_at = now() + ${silenceMs} * interval '1 millisecond',
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

/**
 * Reads the imports whose workflows are to be started, with the names of their organizations: of rows that become links, or of an
 * undo. Ended ones are left out.
 */
export function listImportTargets(em: EntityManager, ids: readonly string[]) {
  return em.kysely
    .selectFrom('Import as i')
    .innerJoin('Organization as o', 'o.id', 'i.organization')
    .select(['i.id', 'o.id as organizationId', 'o.name as organization'])
    .select(['i.format', 'i.total', 'i.imported', 'i.state'])
    .where('i.id', 'in', ids)
    .where('i.state', 'in', ['pending', 'running', 'undoing'])
    .execute();
}

/** Lists the next rows of an undo that became links, in their order. */
export async function listRowsToUndo(
  em: EntityManager,
  { id, undoRow }: Import,
  limit: number,
): Promise<{ row: number; linkId: string }[]> {
  const made = { import: id, state: 'imported', row: { $gt: undoRow } } as const;
  const rows = await em.find(ImportRow, made, { orderBy: { row: 'asc' }, limit });
  return rows.map(({ row, shortLinkId }) => ({ row, linkId: shortLinkId! }));
}

/**
 * Locks those of an organization's links that are live, in the order of their ids (docs/locks.md).
 * @returns them; `isChanged`: clicked, or edited since they were made.
 */
export function holdImportedLinks(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; isChanged: boolean }[]> {
  return (
    em.kysely
      .selectFrom('ShortLink as l')
      .leftJoin('LinkCounter as c', 'c.linkId', 'l.id')
      .select('l.id')
      // A new link's `updatedAt` is its `createdAt`, and every change moves it on.
      .select(({ eb, fn, or, ref, val }) =>
        or([eb(fn.coalesce('c.clicks', val(0)), '>', 0), eb('l.updatedAt', '>', ref('l.createdAt'))])
          .$castTo<boolean>()
          .as('isChanged'),
      )
      .where('l.id', 'in', ids)
      .where('l.organization', '=', organizationId)
      .where('l.deletedAt', 'is', null)
      .orderBy('l.id')
      .forUpdate('l')
      .execute()
  );
}
