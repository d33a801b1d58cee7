import { ApiError } from '#console/api/error.ts';
import { type BulkRow, type LinkPatch, updateEachLink, updateLinks } from '#console/api/links/links.ts';
import type { ShortLinkItem } from '#console/api/types.ts';
import { type UtmName, utmNames } from '#console/links/editor/draft.ts';
import { hundred, readSelected, slicesOf } from './run.ts';

/** What of a link a change of many links may change. */
type Changeable = Pick<ShortLinkItem, 'id' | 'tags' | 'isActive' | 'isArchived' | 'expiresAt' | 'destination'> &
  Partial<Record<UtmName, string | null>> & { folder: { id: string } };

/** The change that takes another one back on a link; undefined: the link is as it was. */
export function undoOf(change: LinkPatch, link: Changeable): LinkPatch | undefined {
  const [field] = Object.keys(change);
  if (field === 'addTags' || field === 'removeTags') {
    const wanted = new Set((change[field] as readonly string[]).map((name) => name.toLowerCase()));
    const had = link.tags.map(({ name }) => name).filter((name) => wanted.has(name.toLowerCase()));
    if (field === 'addTags') return had.length === 0 ? { removeTags: change.addTags } : undefined;
    return had.length === 0 ? undefined : { addTags: had };
  }
  const { folder, destination, ...rest } = link;
  const { threatTypes: _verdict, ...address } = destination;
  const before: Record<string, unknown> = { ...rest, folderId: folder.id, destination: address };
  const fields = Object.keys(change).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(change[name]));
  return fields.length === 0 ? undefined : Object.fromEntries(fields.map((name) => [name, before[name] ?? null]));
}

interface Calls {
  /** @param isFull whether UTM values are needed. */
  readLinks: (ids: readonly string[], isFull: boolean) => Promise<readonly Changeable[]>;
  updateLinks: typeof updateLinks;
  updateEachLink: typeof updateEachLink;
}

const api: Calls = {
  async readLinks(ids, isFull) {
    const selection = { kind: 'rows', ids: new Set(ids) } as const;
    const links: Changeable[] = [];
    for await (const page of readSelected(selection, {}, isFull ? { view: 'full' } : {})) links.push(...page);
    return links;
  },
  updateLinks,
  updateEachLink,
};

/** Changes links in the same way, and remembers how they were. */
export class UndoableChange {
  readonly #change: LinkPatch;
  readonly #calls: Calls;
  // What takes the change back, by the id of the link.
  readonly #undos = new Map<string, LinkPatch>();

  constructor(change: LinkPatch, calls = api) {
    this.#change = change;
    this.#calls = calls;
  }

  /** How many links are not as they were before. */
  get changed(): number {
    return this.#undos.size;
  }

  /** Changes up to 100 links. */
  async send(ids: readonly string[]): Promise<readonly BulkRow[]> {
    const isFull = utmNames.some((name) => name in this.#change);
    const before = new Map((await this.#calls.readLinks(ids, isFull)).map((link) => [link.id, link]));
    const rows = await this.#calls.updateLinks(ids, this.#change);
    for (const [index, id] of ids.entries()) {
      const link = before.get(id);
      const undo = link === undefined || rows[index]?.error !== undefined ? undefined : undoOf(this.#change, link);
      if (undo !== undefined) this.#undos.set(id, undo);
    }
    return rows;
  }

  /** Gives the links back what they had. @returns how many were not changed back, with the first reason. */
  async undo(): Promise<{ failed: number; reason: string }> {
    const errors: string[] = [];
    const undos = [...this.#undos].map(([id, undo]) => ({ id, ...undo }));
    for (const part of slicesOf(undos, hundred)) {
      const rows = await this.#calls.updateEachLink(part);
      errors.push(
        ...rows.flatMap(({ error, status }) => (error === undefined ? [] : [new ApiError(status, error).message])),
      );
    }
    return { failed: errors.length, reason: errors[0] ?? '' };
  }
}
