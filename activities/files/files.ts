import { withHeartbeat } from '#activities/turn.ts';
import { deleteUnusedFiles, removeDeletedFiles } from '#commands/files/files.ts';
import type { Storage } from '#core/files/storage.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** The times and the size are for tests. */
export interface FileDependencies {
  em: EntityManager;
  storage: Storage;
  unusedForMs?: number;
  deletedForMs?: number;
  batchSize?: number;
}

/** Activities that remove unused files (8.2). */
export interface FileActivities {
  /** Deletes files that no link and no domain has shown for a week. @returns how many. */
  deleteUnused(): Promise<number>;
  /** Removes a batch of deleted files from the storage. `more`: there may be others. */
  removeDeleted(): Promise<{ removed: number; revived: number; more: boolean }>;
}

const weekMs = 7 * 24 * 60 * 60 * 1_000;
// A choice: longer than any call that read the file before its deletion.
const hourMs = 60 * 60 * 1_000;

export function createFileActivities({
  em,
  storage,
  unusedForMs = weekMs,
  deletedForMs = hourMs,
  batchSize = 200,
}: FileDependencies): FileActivities {
  return {
    deleteUnused: () => withHeartbeat(() => deleteUnusedFiles(em, unusedForMs)),
    removeDeleted: () => withHeartbeat(() => removeDeletedFiles(em, storage, { deletedForMs, limit: batchSize })),
  };
}
