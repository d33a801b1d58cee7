/** Space of a disk in bytes; an unprivileged process may still write `freeBytes`. */
export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

// A small volume is not nearly full from the start.
const smallDiskShare = 0.1;

/** Whether a disk is nearly full: less is free than `warnBytes`, and than a tenth of it. */
function isNearlyFull({ freeBytes, totalBytes }: DiskSpace, warnBytes: number): boolean {
  return freeBytes < Math.min(warnBytes, totalBytes * smallDiskShare);
}

/** The line of /readyz about a disk that is nearly full; undefined where it is not. @param whose such as `the API's` */
export function describeDisk(space: DiskSpace | undefined, whose: string, warnBytes: number): string | undefined {
  if (space === undefined || !isNearlyFull(space, warnBytes)) return undefined;
  return `disk: ${inMegabytes(space.freeBytes)} of ${inMegabytes(space.totalBytes)} MB free on ${whose} machine`;
}

const inMegabytes = (bytes: number): number => Math.floor(bytes / 1_000_000);
