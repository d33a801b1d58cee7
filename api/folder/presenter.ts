import type { FolderRow } from '#db/links/folders.ts';
import type { Folder } from './schema.ts';

/** Shapes a folder for clients. */
export function presentFolder({ createdAt, updatedAt, ...folder }: FolderRow): Folder {
  return { ...folder, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
