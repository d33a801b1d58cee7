import { readCampaign } from '#console/links/editor/destination/campaign-of.ts';
import { destinationOf, withScheme } from '#console/links/editor/destination/destination.ts';
import { bodyOf, type Draft, emptyDraft } from '#console/links/editor/draft.ts';
import { linesOf } from './lines.ts';

/** What all links have that are made at once. */
export type Shared = Pick<Draft, 'domain' | 'folderId' | 'tags'>;

/** A line as the link that it becomes. */
export interface LinkRow {
  /** The line, and how many lines before are the same: what became of a line holds while others are edited. */
  key: string;
  draft: Draft;
  /** Why it cannot become a link; undefined: the API decides. */
  problem: 'address' | 'cells' | 'slugTwice' | undefined;
}

/** Reads lines of an address, behind which a slug can stand. UTM values of an address go to fields of their own, as in the editor. */
export function readRows(text: string, shared: Shared): LinkRow[] {
  const seen = new Map<string, number>();
  const slugs = new Set<string>();
  return linesOf(text).map((line) => {
    const before = seen.get(line) ?? 0;
    seen.set(line, before + 1);
    const [address = '', slug = '', ...others] = line.split(/\s+/);
    const draft: Draft = { ...emptyDraft(), ...shared, ...readCampaign(withScheme(address), emptyDraft()), slug };
    const isTwice = slug !== '' && slugs.has(slug);
    slugs.add(slug);
    const problem = others.length > 0 ? 'cells' : isAddress(address) ? (isTwice ? 'slugTwice' : undefined) : 'address';
    return { key: `${line}\n${String(before)}`, draft, problem };
  });
}

/** The body of the call that makes the link. */
export const bodyOfRow = ({ draft }: LinkRow): Record<string, unknown> => bodyOf(draft);

function isAddress(text: string): boolean {
  const { type, value } = destinationOf(text);
  if (type !== 'link') return true;
  return /^https?:$/.test(URL.parse(value)?.protocol ?? '') && URL.parse(value)!.hostname.includes('.');
}
