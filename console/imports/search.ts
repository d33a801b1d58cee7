import { countParameter, type Parameters, textParameter, wordParameter } from '#console/app/places/search.ts';
import type { RowState } from '#console/api/links/imports.ts';

export interface ImportsSearch {
  page?: number;
}

export const importsParameters: Parameters<ImportsSearch> = { page: countParameter };

/** Parameters of /imports/new: where all links go, by id. */
export interface NewImportSearch {
  toDomain?: string;
  toFolder?: string;
}

export const newImportParameters: Parameters<NewImportSearch> = { toDomain: textParameter, toFolder: textParameter };

/** States of handled rows, in the order of the filters. */
export const rowStates = ['imported', 'skipped', 'failed'] as const satisfies readonly RowState[];

/** Parameters of /imports/<id>. */
export interface ImportSearch {
  result?: RowState;
  page?: number;
}

export const importParameters: Parameters<ImportSearch> = { result: wordParameter(rowStates), page: countParameter };
