import type { FileKind } from '#core/files/kinds.ts';
import { countParameter, type Parameters, textParameter, wordParameter } from '#console/app/places/search.ts';

/** Parameters of /folders and /tags. */
export interface LabelsSearch {
  q?: string;
  page?: number;
}

export const labelsParameters: Parameters<LabelsSearch> = { q: textParameter, page: countParameter };

/** Uses of files, in the order of choices. */
export const shownKinds = ['meta-tag', 'qr-code'] as const satisfies readonly FileKind[];

export interface FilesSearch extends LabelsSearch {
  kind?: FileKind;
}

export const filesParameters: Parameters<FilesSearch> = { ...labelsParameters, kind: wordParameter(shownKinds) };
