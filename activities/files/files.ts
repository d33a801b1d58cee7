import type { Logger } from 'pino';
import { takeTurn, withHeartbeat } from '#activities/turn.ts';
import type { Images } from '#adapters/images/images.ts';
import { deleteUnusedFiles, removeDeletedFiles, replaceImage } from '#commands/files/files.ts';
import { fileKinds, ImageError } from '#core/files/kinds.ts';
import type { Storage } from '#core/files/storage.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { File } from '#db/entities/files.ts';

/** `batchSize` and `turnMs` are for tests. */
interface FileDependencies {
  em: EntityManager;
  storage: Storage;
  /** Loads what draws images, which most runs do not need. */
  openImages: () => Promise<Pick<Images, 'clean'>>;
  log: Pick<Logger, 'warn'>;
  batchSize?: number;
  turnMs?: number;
}

/** Activities that remove unused files, and mend old ones. */
export type FileActivities = ReturnType<typeof createFileActivities>;

const unusedForMs = 7 * 24 * 60 * 60 * 1_000;
// Longer than any call that read the file before its deletion.
const deletedForMs = 60 * 60 * 1_000;

export function createFileActivities({
  em,
  storage,
  openImages,
  log,
  batchSize = 200,
  turnMs = 5 * 60_000,
}: FileDependencies) {
  /** @returns false where the image is broken. */
  async function redraw(file: File): Promise<boolean> {
    try {
      const bytes = await storage.get(file.key);
      if (bytes === undefined) throw new ImageError('is not in the storage');
      const images = await openImages();
      await replaceImage(em, storage, file, await images.clean(bytes, fileKinds[file.kind].formats));
      return true;
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      log.warn({ fileId: file.id, reason: error.message }, 'a preview image stays as it is');
      return false;
    }
  }

  return {
    /** Deletes files that no link and no domain has shown for a week. @returns how many. */
    deleteUnused: (): Promise<number> => withHeartbeat(() => deleteUnusedFiles(em, unusedForMs)),
    /** Removes a batch of deleted files from the storage. `more`: there may be others. */
    removeDeleted: (): Promise<{ removed: number; revived: number; more: boolean }> =>
      withHeartbeat(() => removeDeletedFiles(em, storage, { deletedForMs, limit: batchSize })),
    /**
     * Draws preview images of earlier versions as uploads are drawn today, for a turn. A broken one is left as it is.
     * `more`: others are left for the next run.
     */
    redrawPreviews: (): Promise<{ redrawn: number; broken: number; more: boolean }> =>
      takeTurn({ turnMs, sql: em }, async (turn) => {
        const counts = { redrawn: 0, broken: 0 };
        for (let after: string | undefined; ;) {
          const files = await em.fork().getRepository(File).listOldPreviews(after, batchSize);
          for (const file of files) {
            if (turn.isOver()) return { ...counts, more: true };
            counts[(await turn.batch(() => redraw(file))) ? 'redrawn' : 'broken'] += 1;
            after = file.id;
            await turn.rest();
          }
          if (files.length < batchSize) return { ...counts, more: false };
        }
      }),
  };
}
