import { type Clicks, linesInTurns } from '#db/clicks/lines.ts';

const idLength = 36;
const wellFormedId = /^[0-9a-f-]{36}$/;

/** Reads the ids of clicks; ids that are no UUIDs are left out, since no table holds such clicks. */
export async function idsOf({ bytes }: Pick<Clicks, 'bytes'>): Promise<string[]> {
  const ids: string[] = [];
  for await (const lines of linesInTurns(bytes))
    for (const [start] of lines) ids.push(bytes.toString('latin1', start, start + idLength));
  return ids.filter((id) => wellFormedId.test(id));
}

/** Lines of all other clicks. */
export async function withoutIds({ bytes }: Pick<Clicks, 'bytes'>, ids: ReadonlySet<string>): Promise<Buffer> {
  const kept: Buffer[] = [];
  for await (const lines of linesInTurns(bytes))
    for (const [start, end] of lines)
      if (!ids.has(bytes.toString('latin1', start, start + idLength))) kept.push(bytes.subarray(start, end));
  return Buffer.concat(kept);
}
