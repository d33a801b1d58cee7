import { clickColumns } from '../core/click.ts';

/** Clicks as a journal holds them: lines in the text format of COPY, which is what the database takes. */
export interface Clicks {
  /** Whole lines. */
  readonly bytes: Buffer;
  readonly count: number;
  /** How many of `clickColumns` the lines hold. */
  readonly columns: number;
  readonly perLink: ReadonlyMap<string, number>;
  /** Months of the clicks (UTC), as `YYYY-MM`. */
  readonly months: ReadonlySet<string>;
}

// Where the fields of constant length lie in a line.
const clickedAtStart = 37;
const monthLength = 7;
const minuteLength = 16;
const linkIdStart = 62;
const linkIdEnd = 98;
const newline = 0x0a;
const tab = 0x09;
// As many columns had the first release.
const minColumns = 24;

/**
 * Reads lines of a journal, as far as their form goes; what passes may still be refused by the database. The lines of a
 * journal are of one release, so the first that has the form tells how many columns they hold.
 */
export function readClicks(bytes: Buffer): { clicks: Clicks; rejected: Buffer[] } {
  let columns = 0;
  const perLink = new Map<string, number>();
  const months = new Set<string>();
  const rejected: [start: number, end: number][] = [];
  let count = 0;
  for (let start = 0; start < bytes.length;) {
    const end = endOfLine(bytes, start);
    if (columns === 0) columns = countColumns(bytes, start, end);
    if (columns === 0 || !hasForm(bytes, start, end)) rejected.push([start, end]);
    else {
      const linkId = bytes.toString('latin1', start + linkIdStart, start + linkIdEnd);
      perLink.set(linkId, (perLink.get(linkId) ?? 0) + 1);
      months.add(bytes.toString('latin1', start + clickedAtStart, start + clickedAtStart + monthLength));
      count += 1;
    }
    start = end;
  }
  const kept = rejected.length === 0 ? bytes : without(bytes, rejected);
  return {
    clicks: { bytes: kept, count, columns, perLink, months },
    rejected: rejected.map(([start, end]) => bytes.subarray(start, end)),
  };
}

/** The clicks of some links only. */
export function ofLinks(clicks: Clicks, linkIds: ReadonlySet<string>): Clicks {
  const { bytes } = clicks;
  const others: [start: number, end: number][] = [];
  for (let start = 0; start < bytes.length;) {
    const end = endOfLine(bytes, start);
    if (!linkIds.has(bytes.toString('latin1', start + linkIdStart, start + linkIdEnd))) others.push([start, end]);
    start = end;
  }
  const perLink = new Map([...clicks.perLink].filter(([linkId]) => linkIds.has(linkId)));
  return { ...clicks, bytes: without(bytes, others), count: clicks.count - others.length, perLink };
}

/** Counts clicks by link and minute (UTC, `YYYY-MM-DDTHH:MM`). */
export function countMinutes({ bytes }: Clicks): { linkId: string; minute: string; count: number }[] {
  const counts = new Map<string, number>();
  for (let start = 0; start < bytes.length; start = endOfLine(bytes, start)) {
    const minute = bytes.toString('latin1', start + clickedAtStart, start + clickedAtStart + minuteLength);
    const key = minute + bytes.toString('latin1', start + linkIdStart, start + linkIdEnd);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({
    minute: key.slice(0, minuteLength),
    linkId: key.slice(minuteLength),
    count,
  }));
}

/** The end of the line that begins at `start`, its newline included. */
export function endOfLine(bytes: Buffer, start: number): number {
  return bytes.indexOf(newline, start) + 1 || bytes.length;
}

function hasForm(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start > linkIdEnd &&
    bytes[end - 1] === newline &&
    bytes[start + clickedAtStart - 1] === tab &&
    bytes[start + linkIdStart - 1] === tab &&
    bytes[start + linkIdEnd] === tab
  );
}

/** How many columns a line holds; 0 where it is no click that this release can read. */
function countColumns(bytes: Buffer, start: number, end: number): number {
  if (!hasForm(bytes, start, end)) return 0;
  let count = 1;
  for (let at = bytes.indexOf(tab, start); at !== -1 && at < end; at = bytes.indexOf(tab, at + 1)) count += 1;
  return count >= minColumns && count <= clickColumns.length ? count : 0;
}

function without(bytes: Buffer, ranges: readonly (readonly [start: number, end: number])[]): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    kept.push(bytes.subarray(from, start));
    from = end;
  }
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}
