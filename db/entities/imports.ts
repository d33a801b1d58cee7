import { defineEntity, type EntityRepositoryType, type InferEntity, p } from '@mikro-orm/core';
import type { Separator } from '#core/csv/csv-file.ts';
import type { DateOrders } from '#core/imports/rows/moments.ts';
import type { FileEncoding } from '#core/csv/encoding.ts';
import type { ImportFormat } from '#core/imports/formats.ts';
import { type ImportEnd, importStates } from '#core/imports/states.ts';
import type { ImportRepository } from '#db/imports/imports.ts';
import { tenant } from '#db/connection/lists/filters.ts';
import { Organization } from './accounts/people.ts';

export const ImportSchema = defineEntity({
  name: 'Import',
  tableName: 'imports',
  filters: { tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization),
    // No foreign key: an import outlives its creator's account, its domain and its folder.
    createdBy: p.uuid(),
    format: p.text().$type<ImportFormat>(),
    header: p.array().columnType('text[]'),
    encoding: p.text().$type<FileEncoding>().nullable(),
    separator: p.text().$type<Separator>().nullable(),
    dateOrders: p.json().columnType('jsonb').$type<DateOrders>().nullable(),
    lostColumns: p.array().columnType('text[]').nullable(),
    domainId: p.uuid().nullable(),
    folderId: p.uuid().nullable(),
    state: p.enum([...importStates]).default('pending'),
    bytes: p.integer().default(0),
    total: p.integer(),
    imported: p.integer().default(0),
    skipped: p.integer().default(0),
    failed: p.integer().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    removed: p.integer().default(0),
    kept: p.integer().default(0),
    undoLeft: p.integer().nullable(),
    undoRow: p.integer().default(0),
    undoIncludesChanged: p.boolean().default(false),
    undoneAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'imports_created_at_idx', properties: ['organization', 'createdAt'] },
    { name: 'imports_due_at_idx', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'imports_finished_at_idx', properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
});

/**
 * A file of links that is being imported. `header` names the columns of its rows; all links go to `domainId` and
 * `folderId` where these are set. `bytes` is the file's size. `encoding`, `separator` and `dateOrders` tell how it was read, and
 * `lostColumns` which columns held values that no field was read from; null in imports of earlier versions. `dueAt` is when the import counts as lost unless an activity
 * touches it; null: it has ended, and no undo runs.
 *
 * An undo looks at the imported rows in their order: it has come to `undoRow`, and `undoLeft` of them are left (null: there was no
 * undo). It has removed `removed` links and kept `kept` that were clicked or edited, unless `undoIncludesChanged`.
 */
export class Import extends ImportSchema.class {
  declare [EntityRepositoryType]?: ImportRepository;

  /** Rows that are handled: their numbers are those from 1 to this one. */
  countDone(): number {
    return this.imported + this.skipped + this.failed;
  }

  /** Rows that will never be handled, because the import ended before them: the last ones of the file. */
  countNotMade(): number {
    return this.finishedAt ? this.total - this.countDone() : 0;
  }

  /** Ends the import: links that exist stay. */
  finish(state: ImportEnd, now: Date): void {
    Object.assign(this, { state, finishedAt: now, dueAt: null });
  }

  /**
   * Begins to undo an import that has ended, or once more with the links that an earlier undo keeps.
   * @param dueAt when the undo counts as lost.
   * @returns whether there is anything to do that was not under way or done before.
   */
  beginUndo(includeChanged: boolean, dueAt: Date): boolean {
    const isFirst = this.undoLeft === null;
    const widens = includeChanged && !this.undoIncludesChanged && (this.state === 'undoing' || this.kept > 0);
    if (!isFirst && !widens) return false;
    // Rows whose links are gone already change no count.
    Object.assign(this, { state: 'undoing', kept: 0, undoRow: 0, undoLeft: this.imported, undoneAt: null, dueAt });
    this.undoIncludesChanged = includeChanged;
    return true;
  }

  /** Counts rows whose links an undo has looked at, up to row number `last`. */
  countUndone(last: number, { rows, removed, kept }: { rows: number; removed: number; kept: number }): void {
    this.undoRow = last;
    this.undoLeft = Math.max(0, (this.undoLeft ?? 0) - rows);
    this.removed += removed;
    this.kept += kept;
  }

  finishUndo(now: Date): void {
    Object.assign(this, { state: 'undone', undoLeft: 0, undoneAt: now, dueAt: null });
  }
}
ImportSchema.setClass(Import);

/** A row of an import, from 1. `fields` are its cells until it is handled; `state` is null until then. */
export const ImportRow = defineEntity({
  name: 'ImportRow',
  tableName: 'import_rows',
  properties: {
    import: () => p.manyToOne(Import).primary(),
    row: p.integer().primary(),
    fields: p.json().columnType('json').$type<string[]>().nullable(),
    state: p.enum(['imported', 'skipped', 'failed']).nullable(),
    // No foreign key: the row stays when its link is deleted, and thousands of links are removed without a look at it.
    shortLinkId: p.uuid().nullable(),
    error: p.text().nullable(),
  },
  indexes: [{ name: 'import_rows_state_idx', properties: ['import', 'state', 'row'] }],
});
export type ImportRow = InferEntity<typeof ImportRow>;
