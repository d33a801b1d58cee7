import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { waitForLock } from './lock.mjs';
import { root } from './paths.ts';

const stampName = 'stamp';
const lockDeadlineMs = 10 * 60_000;
const compressible = /\.(js|css|svg|json|html)$/;
// Shorter files do not get smaller by it.
const leastCompressedBytes = 1_024;

interface BuiltFolderOptions {
  /** Its name below `dist`. */
  name: string;
  /** Folders and files of the checkout whose content decides what is built. */
  inputs: readonly string[];
  /** Writes the files into a folder; what it returns says which of them the API sends as they are. */
  build(next: string): Promise<{ isSentAsItIs(file: string): boolean }>;
}

/** A folder below `dist` that is built from files of the checkout, and served by the API. */
interface BuiltFolder {
  /** Whether it exists and matches its sources. */
  isFresh(): boolean;
  /**
   * Builds it unless it is fresh. Two processes may do so at once; readers see the old build or the new one.
   * @returns whether it built. @throws Error when the build fails.
   */
  build(): Promise<boolean>;
}

/** Describes such a folder; nothing is built yet. */
export function builtFolder({ name, inputs, build }: BuiltFolderOptions): BuiltFolder {
  const [target, next, old] = ['', '.next', '.old'].map((suffix) => join(root, 'dist', `${name}${suffix}`)) as [
    string,
    string,
    string,
  ];

  function isFresh(): boolean {
    const stamp = join(target, stampName);
    return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashFiles(inputs);
  }

  return {
    isFresh,
    async build() {
      if (isFresh()) return false;
      const lock = await waitForLock(join(root, 'dist', `${name}.lock`), { deadlineMs: lockDeadlineMs });
      if (lock.holder !== undefined)
        throw new Error(`Another build of dist/${name} (process ${lock.holder}) does not end.`);
      try {
        if (isFresh()) return false;
        const hash = hashFiles(inputs);
        rmSync(next, { recursive: true, force: true });
        const { isSentAsItIs } = await build(next);
        await compressFiles(next, isSentAsItIs);
        // Written before the exchange: a build that was interrupted is never taken for a whole one.
        writeFileSync(join(next, stampName), hash);
        rmSync(old, { recursive: true, force: true });
        if (existsSync(target)) renameSync(target, old);
        renameSync(next, target);
        rmSync(old, { recursive: true, force: true });
        return true;
      } finally {
        lock.release();
      }
    },
  };
}

/** Writes `.br` and `.gz` beside files, which the API sends to browsers as they are. */
async function compressFiles(folder: string, isSentAsItIs: (file: string) => boolean): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  await Promise.all(
    names
      .filter((name) => compressible.test(name) && isSentAsItIs(name))
      .map(async (name) => {
        const path = join(folder, name);
        const bytes = readFileSync(path);
        if (bytes.length < leastCompressedBytes) return;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
        writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
        writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }),
  );
}

/** A hash of files, and of all files below folders, of the checkout. */
export function hashFiles(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

/** All files at or below a path, without installed packages. Paths are relative to the checkout. */
function filesIn(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${path}/${entry.name}`) : [`${path}/${entry.name}`]))
    .toSorted();
}
