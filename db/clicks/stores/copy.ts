import { firstAndLastMs, idsOf, withoutIds } from '#db/clicks/lines.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import { areSameFigures, type ClickPart, type ClickStore } from './store.ts';

export interface Copying {
  from: ClickStore;
  to: ClickStore;
  /** Clicks in a batch. */
  limit: number;
}

interface Batch {
  ids: string[];
  lines: Buffer;
  /** Ids that are there; an id twice where the click is. */
  known: string[];
  /** Null: the part ends here. */
  next: Position | null;
}

// A deletion removes clicks a minute after it began, and copies nothing: a batch that was read before it is there by then.
const longestBatchMs = 30_000;

/** Reads the next batch of a part, with the ids of its time that the other store has. */
async function readBatch(
  { from, to, limit }: Copying,
  part: ClickPart,
  after: Position | null,
): Promise<Batch | undefined> {
  const lines = await from.readLines(part, after, limit);
  if (lines.length === 0) return undefined;
  const ids = await idsOf({ bytes: lines });
  const [firstMs, lastMs] = firstAndLastMs(lines);
  return {
    ids,
    lines,
    known: await to.readIds(part, firstMs, lastMs),
    next: ids.length < limit ? null : { atMs: lastMs, id: ids.at(-1)! },
  };
}

/** Copies the next batch of a part. May be repeated. @returns undefined where none is left. */
export async function copyBatch(
  copying: Copying,
  part: ClickPart,
  after: Position | null,
): Promise<{ read: number; copied: number; next: Position | null } | undefined> {
  const beganMs = Date.now();
  const batch = await readBatch(copying, part, after);
  if (batch === undefined) return undefined;
  const { ids, lines, known, next } = batch;
  const missing = await withoutIds({ bytes: lines }, new Set(known));
  if (Date.now() - beganMs > longestBatchMs) throw new Error('Reading a batch of clicks took too long.');
  return { read: ids.length, copied: missing.length === 0 ? 0 : await copying.to.insert(part, missing), next };
}

/** Whether a part is the same in both stores: its number of clicks, and sums of their times and ids. */
export async function isSamePart({ from, to }: Copying, part: ClickPart): Promise<boolean> {
  return areSameFigures(await from.readFigures(part), await to.readFigures(part));
}

/** Tells which clicks of the next batch of a part the other store has exactly once. @returns undefined where none is left. */
export async function checkBatch(
  copying: Copying,
  part: ClickPart,
  after: Position | null,
): Promise<{ there: string[]; isWhole: boolean; next: Position | null } | undefined> {
  const batch = await readBatch(copying, part, after);
  if (batch === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const id of batch.known) counts.set(id, (counts.get(id) ?? 0) + 1);
  const there = batch.ids.filter((id) => counts.get(id) === 1);
  return { there, isWhole: there.length === batch.ids.length, next: batch.next };
}
