import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DiskSpace } from '#core/lib/disk.ts';
import type { Meter } from '#core/lib/meter.ts';

/** Reads the space of a folder's disk; undefined where the system does not report it. */
type ReadDisk = () => Promise<DiskSpace | undefined>;

/** Reads the disk of a folder, or of its nearest existing parent. */
export function createDiskReader(folder: string): ReadDisk {
  const read = async (path: string): Promise<DiskSpace | undefined> => {
    try {
      const { bavail, blocks, bsize } = await statfs(path);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path;
      return isMissing ? read(dirname(path)) : undefined;
    }
  };
  return () => read(folder);
}

/** Registers the metrics of the data folder's disk. */
export function measureDisk(meter: Meter, readDisk: ReadDisk): void {
  const gauge = (name: string, help: string, field: keyof DiskSpace): void =>
    meter.gauge(`waymark_disk_${name}`, help, async () => {
      const space = await readDisk();
      return space === undefined ? [] : space[field];
    });
  gauge('free_bytes', 'Bytes that may still be written on the disk of the data folder.', 'freeBytes');
  gauge('bytes', 'Size of that disk.', 'totalBytes');
}
