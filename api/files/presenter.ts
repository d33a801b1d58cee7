import type { FileRow } from '#db/files/files.ts';
import type { File } from './schema.ts';

/** Shapes a file for clients. @param fileUrl makes its public address. */
export function presentFile(
  { id, createdAt, name, organizationId, key, mime, size, urlKey }: FileRow,
  fileUrl: (urlKey: string) => string,
): File {
  return { id, createdAt: createdAt.toISOString(), name, organizationId, key, mime, size, url: fileUrl(urlKey) };
}
