import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Storage, StorageError } from '#core/files/storage.ts';

// Two plain names: no key leaves the folder, and none begins with a dot.
const keyPattern = /^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9-]*\.[a-z0-9]+$/;

/** Stores objects as files below `root`. Several processes may share the folder. */
export function createFolderStorage(root: string): Storage {
  const pathOf = (key: string): string => {
    if (!keyPattern.test(key)) throw new StorageError(new Error('The key is not one of ours.'));
    return join(root, key);
  };
  return {
    async put(key, bytes) {
      const path = pathOf(key);
      await guarded(async () => {
        const write = async (): Promise<void> => {
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          // Flushed before its row is committed, so that both survive a loss of power.
          await writeFile(partOf(path), bytes, { mode: 0o600, flush: true });
        };
        // Once more: a removal of the last other file removes the folder.
        await write().catch(write);
        await rename(partOf(path), path);
      });
    },
    async get(key) {
      const path = pathOf(key);
      return guarded(() =>
        readFile(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return undefined;
          throw error;
        }),
      );
    },
    async remove(key) {
      const path = pathOf(key);
      await guarded(() => Promise.all([rm(path, { force: true }), rm(partOf(path), { force: true })]));
      // Fails where it has other files.
      await rmdir(dirname(path)).catch(() => undefined);
    },
  };
}

const partOf = (path: string): string => `${path}.part`;

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StorageError(error);
  }
}
