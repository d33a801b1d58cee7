import { z } from 'zod';
import type { Storage } from '#core/files/storage.ts';

const figuresSchema = z.object({ clicks: z.int(), times: z.string(), ids: z.string() });
const manifestSchema = z.object({
  /** Files that are there, or are about to be. */
  files: z.array(z.object({ name: z.string(), rows: z.int() })),
  /** What the files of a month hold; a month that is missing is about to be written. */
  months: z.record(z.string(), figuresSchema),
});

/** The files of an organization for a warehouse. Readers take the list; the export finds by it what has changed. */
export type Manifest = z.output<typeof manifestSchema>;

/** Key of an organization's file in the storage. */
export const warehouseKey = (organizationId: string, name: string): string => `warehouse-${organizationId}/${name}`;
const nameOfManifest = 'manifest.json';

/** @returns undefined: the file is no manifest. @throws StorageError */
export async function readManifest(storage: Storage, organizationId: string): Promise<Manifest | undefined> {
  const bytes = await storage.get(warehouseKey(organizationId, nameOfManifest));
  if (bytes === undefined) return { files: [], months: {} };
  try {
    return manifestSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}

export async function writeManifest(storage: Storage, organizationId: string, manifest: Manifest): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(manifest));
  await storage.put(warehouseKey(organizationId, nameOfManifest), bytes, 'application/json');
}

/** Removes all files of a deleted organization. May be repeated. @returns how many. @throws where the manifest cannot be read. */
export async function removeWarehouse(storage: Storage, organizationId: string): Promise<number> {
  const manifest = await readManifest(storage, organizationId);
  const manifestKey = warehouseKey(organizationId, nameOfManifest);
  if (manifest === undefined)
    throw new Error(`${manifestKey} cannot be read: remove all files beside it in the storage, then it.`);
  const { files } = manifest;
  for (const { name } of files) await storage.remove(warehouseKey(organizationId, name));
  await storage.remove(manifestKey);
  return files.length;
}
