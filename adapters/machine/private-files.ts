import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Gets a warning for each path that stays readable; the process goes on. */
export interface PrivacyLog {
  warn(details: { path: string; err: unknown }, message: string): void;
}

const folderMode = 0o700;
const fileMode = 0o600;
const permissionBits = 0o777;

/**
 * Removes the rights of other users from a file, or from a folder and everything in it (700, files 600): earlier versions, a
 * restore and an operator's copy leave files that any user may read. Symbolic links are followed at `path` alone, since a part
 * of the data folder may lie on another volume.
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
    // A missing file needs nothing: it may have been shipped and removed just now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    log.warn({ path, err: error }, 'other users of this machine may be able to read this');
  }
}
