/**
 * A mark that tells a process from a later one with the same id (its start time).
 * @returns undefined where no such process runs; a zombie does not run.
 */
export function processMark(pid: number): string | undefined;

/** The command line of a process, arguments joined by spaces; empty where it cannot be read. */
export function commandLine(pid: number): string;

/** A lock that was taken (`release`), or the id of the live process that holds it. */
export type LockResult = { release(): void; holder?: undefined } | { holder: number; release?: undefined };

/**
 * Takes a lock file for this process, without waiting. A lock whose holder is dead is healed; the folder is made.
 * @throws where the folder cannot be written.
 */
export function acquireLock(path: string): LockResult;

/**
 * Takes a lock file, waiting for its holder up to `deadlineMs`; then the answer names the holder. `onWait` hears of the
 * wait at once and every `onWaitEveryMs` (default: once) with the holder and the milliseconds waited; `signal` ends the wait.
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
