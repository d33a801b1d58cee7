import { type BulkRow, createLinks } from '#console/api/links/links.ts';
import { ApiError, messageOf } from '#console/api/error.ts';
import type { ChangedLink } from '#console/api/types.ts';
import { hundred, slicesOf } from '#console/links/list/bulk/run.ts';
import { bodyOfRow, type LinkRow } from './rows.ts';

/** What became of a line: the short URL, or why there is none. */
export type Outcome = { shortUrl: string; error?: undefined } | { shortUrl?: undefined; error: string };

/** A call whose answer got lost: its intent, and its rows. */
interface LostCall {
  intent: string;
  keys: readonly string[];
}

// By the body of the call. Sent again as it was, it makes no link twice.
const lost = new Map<string, LostCall>();

/** Makes links in hundreds, one call after the other. @param onOutcomes gets what became of the rows, by their keys, after each call. */
export async function makeLinks(
  rows: readonly LinkRow[],
  onOutcomes: (outcomes: ReadonlyMap<string, Outcome>) => void,
  create = createLinks,
): Promise<void> {
  for (const part of partsOf(rows)) {
    const links = part.map(bodyOfRow);
    const body = JSON.stringify(links);
    const { intent } = lost.get(body) ?? { intent: crypto.randomUUID() };
    let answers: readonly Outcome[];
    try {
      answers = (await create(links, intent)).map(outcomeOf);
      lost.delete(body);
    } catch (error) {
      answers = part.map(() => ({ error: messageOf(error) }));
      if (error instanceof ApiError && error.isPassing) lost.set(body, { intent, keys: part.map(({ key }) => key) });
      else lost.delete(body);
    }
    onOutcomes(new Map(part.map(({ key }, index) => [key, answers[index]!])));
  }
}

/** Divides rows into calls: those of a lost call stay together, as far as all of them are still there. */
function partsOf(rows: readonly LinkRow[]): readonly LinkRow[][] {
  const left = new Map(rows.map((row) => [row.key, row]));
  const parts: LinkRow[][] = [];
  for (const { keys } of lost.values()) {
    const part = keys.map((key) => left.get(key));
    if (!part.every((row) => row !== undefined)) continue;
    parts.push(part);
    for (const key of keys) left.delete(key);
  }
  return [...parts, ...slicesOf([...left.values()], hundred)];
}

function outcomeOf({ data, error, status }: BulkRow): Outcome {
  if (error === undefined) return { shortUrl: (data as ChangedLink).originUrl };
  return { error: new ApiError(status, error).message };
}
