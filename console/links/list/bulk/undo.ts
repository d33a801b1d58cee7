import { type BulkRow, type LinkPatch, readLinks, updateLinks } from '#console/api/links.ts';
import type { ShortLinkItem } from '#console/api/types.ts';
import { filterStates } from '#console/links/search.ts';

/** What of a link a change of many links may change. */
type Changeable = Pick<ShortLinkItem, 'id' | 'tags' | 'isActive' | 'isArchived' | 'expiresAt'> & {
  folder: { id: string };
};

const hundred = 100;
// The most that the API lists at once.
const listed = 50;

/** The change that takes another one back on a link; undefined: the link is as it was. */
export function undoOf(change: LinkPatch, link: Changeable): LinkPatch | undefined {
  const [field] = Object.keys(change);
  if (field === 'addTags' || field === 'removeTags') {
    const wanted = new Set((change[field] as readonly string[]).map((name) => name.toLowerCase()));
    const had = link.tags.map(({ name }) => name).filter((name) => wanted.has(name.toLowerCase()));
    if (field === 'addTags') return had.length === 0 ? { removeTags: change.addTags } : undefined;
    return had.length === 0 ? undefined : { addTags: had };
  }
  const { folder, ...rest } = link;
  const before: Record<string, unknown> = { ...rest, folderId: folder.id };
  return field === undefined || before[field] === change[field] ? undefined : { [field]: before[field] };
}

interface Calls {
  readLinks: (ids: readonly string[]) => Promise<readonly Changeable[]>;
  updateLinks: typeof updateLinks;
}

const api: Calls = {
  async readLinks(ids) {
    const links: Changeable[] = [];
    for (let start = 0; start < ids.length; start += listed) {
      const filters = { ids: ids.slice(start, start + listed), states: filterStates };
      for await (const page of readLinks(filters, {})) links.push(...page);
    }
    return links;
  },
  updateLinks,
};

/** Changes links in the same way, and remembers how they were. */
export class UndoableChange {
  readonly #change: LinkPatch;
  readonly #calls: Calls;
  // Ids by what takes the change back, as JSON.
  readonly #undos = new Map<string, string[]>();

  constructor(change: LinkPatch, calls = api) {
    this.#change = change;
    this.#calls = calls;
  }

  /** Changes up to 100 links. */
  async send(ids: readonly string[]): Promise<readonly BulkRow[]> {
    const before = new Map((await this.#calls.readLinks(ids)).map((link) => [link.id, link]));
    const rows = await this.#calls.updateLinks(ids, this.#change);
    for (const [index, id] of ids.entries()) {
      const link = before.get(id);
      const undo = link === undefined || rows[index]?.error !== undefined ? undefined : undoOf(this.#change, link);
      if (undo === undefined) continue;
      const key = JSON.stringify(undo);
      this.#undos.set(key, [...(this.#undos.get(key) ?? []), id]);
    }
    return rows;
  }

  /** Gives the links back what they had. @returns how many were not changed back, with the first reason. */
  async undo(): Promise<{ failed: number; reason: string }> {
    const errors: string[] = [];
    for (const [undo, ids] of this.#undos)
      for (let start = 0; start < ids.length; start += hundred) {
        const rows = await this.#calls.updateLinks(ids.slice(start, start + hundred), JSON.parse(undo) as LinkPatch);
        errors.push(...rows.flatMap(({ error }) => (error === undefined ? [] : [error.message])));
      }
    return { failed: errors.length, reason: errors[0] ?? '' };
  }
}
