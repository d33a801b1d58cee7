import { FolderSchema, TagSchema } from '#db/entities/links.ts';
import { FolderRepository } from '#db/links/folders.ts';
import { TagRepository } from '#db/links/tags.ts';

/**
 * Gives each entity its repository. Here, and not in the entities' files, since repositories import entities: the two would
 * import each other.
 */
export function useRepositories(): void {
  FolderSchema.setCustomRepository(() => FolderRepository);
  TagSchema.setCustomRepository(() => TagRepository);
}
