import { countParameter, type SearchOf, textParameter, wordParameter } from '#console/app/places/search.ts';
import type { RowState } from '#console/api/links/imports.ts';

/** Parameters of /imports/new: where all links go, by id. */
export const newImportParameters = { toDomain: textParameter, toFolder: textParameter };
export type NewImportSearch = SearchOf<typeof newImportParameters>;

/** States of handled rows, in the order of the filters. */
export const rowStates = ['imported', 'skipped', 'failed'] as const satisfies readonly RowState[];

/** Parameters of /imports/<id>. */
export const importParameters = { result: wordParameter(rowStates), page: countParameter };
export type ImportSearch = SearchOf<typeof importParameters>;
