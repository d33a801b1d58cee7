import type { TagRow } from '#db/links/tags.ts';
import type { Tag } from './schema.ts';

/** Shapes a tag for clients. */
export function presentTag({ createdAt, updatedAt, ...tag }: TagRow): Tag {
  return { ...tag, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
