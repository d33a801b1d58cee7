import type { Issue } from '#core/errors/errors.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { maxTags } from '#core/links/draft.ts';
import type { Actor } from '#core/audit/actor.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** The tags that a call wants for a link: all of them, or changes of the present ones; by name, by id, or both. */
interface TagChoice {
  tags?: readonly string[] | undefined;
  tagIds?: readonly string[] | undefined;
  addTags?: readonly string[] | undefined;
  addTagIds?: readonly string[] | undefined;
  removeTags?: readonly string[] | undefined;
  removeTagIds?: readonly string[] | undefined;
}

/** Tags that were chosen by id, of any organization. */
export type ChosenTags = ReadonlyMap<string, ChosenTag>;

interface ChosenTag {
  id: string;
  organizationId: string;
  name: string;
  nameKey: string;
}

/** Reads the tags that choices name by id, and locks them against deletion. No statement runs where none is named. */
export async function readChosenTags(em: EntityManager, choices: readonly TagChoice[]): Promise<ChosenTags> {
  const ids = choices.flatMap(({ tagIds = [], addTagIds = [], removeTagIds = [] }) => [
    ...tagIds,
    ...addTagIds,
    ...removeTagIds,
  ]);
  if (ids.length === 0) return new Map();
  const rows = await em.kysely
    .selectFrom('Tag')
    .select(['id', 'organization as organizationId', 'name', 'nameKey'])
    .where('id', 'in', [...new Set(ids)])
    .where('deletedAt', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The names of the tags that a link gets, without regard to case each once; undefined: its tags stay.
 * @param present names of the link's tags. A name that is both added and removed is on the link.
 * @throws AppError NOT_FOUND for an unknown id, FORBIDDEN for another organization's.
 */
export function tagNamesOf(
  choice: TagChoice,
  { present, chosen, actor }: { present: readonly string[]; chosen: ChosenTags; actor: Actor },
): string[] | undefined {
  const { tags, tagIds, addTags, addTagIds, removeTags, removeTagIds } = choice;
  const isSent = [tags, tagIds, addTags, addTagIds, removeTags, removeTagIds].some((sent) => sent !== undefined);
  if (!isSent) return undefined;
  const named = (field: 'tagIds' | 'addTagIds' | 'removeTagIds'): string[] =>
    (choice[field] ?? []).map((id, index) => requireOwn(chosen.get(id), actor, 'tag', `${field}.${index}`).name);
  const replaced = tags === undefined && tagIds === undefined ? present : [...(tags ?? []), ...named('tagIds')];
  const removed = new Set([...(removeTags ?? []), ...named('removeTagIds')].map(foldCase));
  const names = new Map<string, string>();
  const kept = replaced.filter((name) => !removed.has(foldCase(name)));
  for (const name of [...kept, ...(addTags ?? []), ...named('addTagIds')]) {
    // The first spelling of a name is kept.
    if (!names.has(foldCase(name))) names.set(foldCase(name), name);
  }
  return [...names.values()];
}

/** Finds that a link would get too many tags. @param names of `tagNamesOf`. */
export function tagIssues(choice: TagChoice, names: readonly string[] = []): Issue[] {
  if (names.length <= maxTags) return [];
  const path =
    (['addTags', 'addTagIds', 'tagIds', 'tags'] as const).find((field) => choice[field] !== undefined) ?? 'tags';
  return [{ path, message: `must leave the link at most ${maxTags} tags` }];
}
