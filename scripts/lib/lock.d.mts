/**
 * The start time of a process, which distinguishes it from a later process with the same id.
 * @returns undefined where no such process runs; a zombie does not count as running.
 */
export function processMark(pid: number): string | undefined;

/** The command line of a process, joined by spaces; empty where it is not readable. */
export function commandLine(pid: number): string;

/** The text of a file; undefined where it cannot be read. */
export function readText(path: string): string | undefined;

/**
 * Makes a folder and its parents where they are missing. Node's recursive mkdir never returns where a file system has no folders
 * to make, as /proc.
 */
export function makeFolder(path: string, mode?: number): void;

/** An acquired lock (`release`), or the id of the live process that holds it. */
export type LockResult = { release(): void; holder?: undefined } | { holder: number; release?: undefined };

/**
 * Acquires a lock file without waiting. Breaks the lock of a dead holder; creates the folder.
 * @throws Error where the folder is not writable.
 */
export function acquireLock(path: string): LockResult;

/**
 * Acquires a lock file, waiting up to `deadlineMs`; after that the result names the holder. `onWait` is called at once and every
 * `onWaitEveryMs` (default: once) with the holder and the milliseconds waited; `signal` aborts the wait.
 */
export function waitForLock(
  path: string,
  options: {
    deadlineMs: number;
    onWait?: (holder: number, waitedMs: number) => void;
    onWaitEveryMs?: number;
    signal?: AbortSignal;
  },
): Promise<LockResult>;
