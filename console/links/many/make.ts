import { type BulkRow, createLinks } from '#console/api/links.ts';
import { messageOf } from '#console/api/error.ts';
import type { ChangedLink } from '#console/api/types.ts';
import { bodyOfRow, type LinkRow } from './rows.ts';

/** What became of a line: the short URL, or why there is none. */
export type Outcome = { shortUrl: string; error?: undefined } | { shortUrl?: undefined; error: string };

const hundred = 100;

/** Makes links in hundreds, one call after the other. @param onOutcomes gets what became of the rows, by their keys, after each call. */
export async function makeLinks(
  rows: readonly LinkRow[],
  onOutcomes: (outcomes: ReadonlyMap<string, Outcome>) => void,
  create = createLinks,
): Promise<void> {
  for (let start = 0; start < rows.length; start += hundred) {
    const part = rows.slice(start, start + hundred);
    let answers: readonly Outcome[];
    try {
      answers = (await create(part.map(bodyOfRow), crypto.randomUUID())).map(outcomeOf);
    } catch (error) {
      answers = part.map(() => ({ error: messageOf(error) }));
    }
    onOutcomes(new Map(part.map(({ key }, index) => [key, answers[index]!])));
  }
}

function outcomeOf({ data, error }: BulkRow): Outcome {
  if (error === undefined) return { shortUrl: (data as ChangedLink).originUrl };
  const [first] = error.issues ?? [];
  return { error: first === undefined ? error.message : `${first.path} ${first.message}`.trim() };
}
