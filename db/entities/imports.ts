import { defineEntity, type EntityRepositoryType, type InferEntity, p } from '@mikro-orm/core';
import type { ImportFormat } from '#core/imports/formats.ts';
import { type ImportEnd, importStates } from '#core/imports/states.ts';
import type { ImportRepository } from '#db/imports/imports.ts';
import { tenant } from '#db/connection/filters.ts';
import { Organization } from './people.ts';

export const ImportSchema = defineEntity({
  name: 'Import',
  tableName: 'imports',
  filters: { tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization),
    createdBy: p.uuid(),
    format: p.text().$type<ImportFormat>(),
    header: p.array().columnType('text[]'),
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
  },
  indexes: [
    { name: 'imports_created_at_idx', properties: ['organization', 'createdAt'] },
    { name: 'imports_due_at_idx', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'imports_finished_at_idx', properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
});

/**
 * A file of links that is being imported (3.10). `header` names the columns of its rows; all links go to `domainId` and
 * `folderId` where these are set. `bytes` is the file's size. `dueAt` is when the import counts as lost unless an activity
 * touches it; null: it has ended.
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
    shortLinkId: p.uuid().nullable(),
    error: p.text().nullable(),
  },
  indexes: [{ name: 'import_rows_state_idx', properties: ['import', 'state', 'row'] }],
});
export type ImportRow = InferEntity<typeof ImportRow>;
