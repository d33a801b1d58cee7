import type { Issue } from '#core/errors/errors.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { maxTags, type SentTag } from '#core/links/draft.ts';
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

/** A link's tags as a call sends them. */
type SentTags = { [Field in (typeof byName)[number]]?: readonly SentTag[] | undefined };
/** The same, each by the name that the tag has now. */
export type WithTagNames<Sent> = Omit<Sent, keyof SentTags> & {
  [Field in keyof Sent & keyof SentTags]?: string[] | undefined;
};

const byName = ['tags', 'addTags', 'removeTags'] as const;

/** Tags that were chosen by id, of any organization. */
export type ChosenTags = ReadonlyMap<string, ChosenTag>;

interface ChosenTag {
  id: string;
  organizationId: string;
  name: string;
  nameKey: string;
}

/** Reads the tags that choices name by id, and locks them against deletion. No statement runs where none is named. */
export async function readChosenTags(
  em: EntityManager,
  choices: readonly (SentTags & Omit<TagChoice, keyof SentTags>)[],
): Promise<ChosenTags> {
  const ids = choices.flatMap(({ tagIds = [], addTagIds = [], removeTagIds = [], ...sent }) => [
    ...tagIds,
    ...addTagIds,
    ...removeTagIds,
    ...byName.flatMap((field) => (sent[field] ?? []).flatMap((tag) => (typeof tag === 'string' ? [] : tag.id))),
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

/** Names the tags of a call: an object with the id of a tag of the organization means that tag, any other its name. */
export function withTagNames<Sent extends SentTags>(
  sent: Sent,
  chosen: ChosenTags,
  organizationId: string,
): WithTagNames<Sent> {
  const nameOf = (tag: SentTag): string => {
    if (typeof tag === 'string') return tag;
    const own = chosen.get(tag.id);
    return own?.organizationId === organizationId ? own.name : tag.name;
  };
  const named = byName.flatMap((field) => (sent[field] === undefined ? [] : [[field, sent[field].map(nameOf)]]));
  return { ...sent, ...Object.fromEntries(named) } as WithTagNames<Sent>;
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
