import type { FileKind } from '#core/files/kinds.ts';
import { countParameter, type SearchOf, textParameter, wordParameter } from '#console/app/places/search.ts';

/** Parameters of /folders and /tags. */
export const labelsParameters = { q: textParameter, page: countParameter };
export type LabelsSearch = SearchOf<typeof labelsParameters>;

/** Uses of files, in the order of choices. */
export const shownKinds = ['meta-tag', 'qr-code'] as const satisfies readonly FileKind[];

export const filesParameters = { ...labelsParameters, kind: wordParameter(shownKinds) };
export type FilesSearch = SearchOf<typeof filesParameters>;
