import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What could not be made private is told to the log; the process goes on, as it did before. */
export interface PrivacyLog {
  warn(details: { path: string; err: unknown }, message: string): void;
}

const folderMode = 0o700;
const fileMode = 0o600;
const permissionBits = 0o777;

/**
 * Takes the rights of other users away from what is there: from a file, or from a folder with all in it (700, files 600).
 * Earlier versions, a restore and an operator's copy leave what everybody on the machine may read. Links are followed at
 * `path` alone: a data folder's part may lie on another volume.
 */
export function keepPrivate(path: string, log: PrivacyLog): void {
  try {
    const stats = statSync(path);
    const isFolder = stats.isDirectory();
    const wanted = isFolder ? folderMode : fileMode;
    if ((stats.mode & permissionBits) !== wanted) chmodSync(path, wanted);
    if (!isFolder) return;
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory() || entry.isFile()) keepPrivate(join(path, entry.name), log);
    }
  } catch (error) {
    // What is not there, or was shipped and removed just now, needs nothing.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    log.warn({ path, err: error }, 'other users of this machine may be able to read this');
  }
}
