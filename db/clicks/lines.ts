import { setImmediate as nextTurn } from 'node:timers/promises';
import { botClickColumns, botMark, clickColumns } from '#core/clicks/click.ts';

/** Clicks as a journal holds them: lines in the text format of COPY, ready for the database. */
export interface Clicks {
  /** Whole lines. */
  readonly bytes: Buffer;
  readonly count: number;
  /** How many columns each line has, counted from the first of `botClickColumns`, which begin with `clickColumns`. */
  readonly columns: number;
  readonly perLink: ReadonlyMap<string, LinkClicks>;
  readonly quarters: readonly QuarterClicks[];
  /** Months of the clicks (UTC), as `YYYY-MM`. */
  readonly months: ReadonlySet<string>;
}

interface LinkClicks {
  readonly clicks: number;
  /** The moment of its last line. */
  readonly lastMs: number;
}

/** Clicks of a quarter of an hour (UTC). */
interface QuarterClicks {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** From 0 at midnight to 95. */
  readonly quarter: number;
  readonly perLink: ReadonlyMap<string, LinkClicks>;
}

/** Start and end of a line, its newline included. */
type Line = readonly [start: number, end: number];

// Offsets of the fields of constant length.
const idEnd = 36;
const clickedAtStart = 37;
const clickedAtEnd = 61;
const minuteLength = 16;
const secondStart = clickedAtStart + minuteLength + 1;
const linkIdStart = 62;
const linkIdEnd = 98;
const newline = 0x0a;
const tab = 0x09;
const zero = 0x30;
// Columns of the first release.
const minColumns = 24;
// About half a millisecond of work, during which visitors wait.
const turnBytes = 64 * 1_024;
const mark = Buffer.from(botMark);
const wellFormedId = /^[0-9a-f-]{36}$/;

interface ReadClicks {
  clicks: Clicks;
  /** Visits of bots, their lines without the mark. */
  bots: Clicks;
  rejected: Buffer[];
}

/**
 * Reads lines of a journal and checks their form; the database may still refuse their values. A journal is written by one
 * release: the first well-formed line tells the number of columns.
 */
export async function readClicks(bytes: Buffer): Promise<ReadClicks> {
  const { clicks, others } = await readLines(bytes, clickColumns.length);
  const isBot = (line: Buffer): boolean => line.subarray(0, mark.length).equals(mark);
  const bots = await readLines(
    Buffer.concat(others.filter(isBot).map((line) => line.subarray(mark.length))),
    botClickColumns.length,
  );
  return { clicks, bots: bots.clicks, rejected: [...others.filter((line) => !isBot(line)), ...bots.others] };
}

/** Reads the lines that have the form of a click, with `maxColumns` columns at most; `others` are the remaining lines. */
async function readLines(bytes: Buffer, maxColumns: number): Promise<{ clicks: Clicks; others: Buffer[] }> {
  let columns = 0;
  const counts = createQuarterCounts();
  const rejected: Line[] = [];
  let count = 0;
  /** Counts of the minute at `minuteAt`: the next line is most often of the same minute. */
  let perLink: Map<string, Counted> | undefined;
  let minuteAt = 0;
  let minuteMs = 0;
  for await (const lines of linesInTurns(bytes)) {
    for (const [start, end] of lines) {
      if (columns === 0) columns = countColumns(bytes, start, end, maxColumns);
      if (columns === 0 || !hasForm(bytes, start, end)) {
        rejected.push([start, end]);
        continue;
      }
      if (perLink === undefined || !isSameMinute(bytes, minuteAt, start)) {
        const minute = bytes.toString('latin1', start + clickedAtStart, start + clickedAtStart + minuteLength);
        perLink = counts.of(minute);
        minuteAt = start;
        minuteMs = Date.parse(`${minute}Z`);
      }
      const linkId = linkIdAt(bytes, start);
      const lastMs = minuteMs + millisecondOfMinute(bytes, start);
      const known = perLink.get(linkId);
      if (known === undefined) perLink.set(linkId, { clicks: 1, lastMs });
      else {
        known.clicks += 1;
        known.lastMs = lastMs;
      }
      count += 1;
    }
  }
  const kept = rejected.length === 0 ? bytes : without(bytes, rejected);
  const quarters = counts.all();
  return {
    clicks: {
      bytes: kept,
      count,
      columns,
      perLink: sumOf(quarters),
      quarters,
      months: new Set(quarters.map(({ day }) => day.slice(0, 7))),
    },
    others: rejected.map(([start, end]) => bytes.subarray(start, end)),
  };
}

/** The clicks of all other links. */
export async function withoutLinks({ bytes }: Clicks, linkIds: ReadonlySet<string>): Promise<Clicks> {
  const theirs: Line[] = [];
  for await (const lines of linesInTurns(bytes))
    theirs.push(...lines.filter(([start]) => linkIds.has(linkIdAt(bytes, start))));
  return (await readLines(without(bytes, theirs), botClickColumns.length)).clicks;
}

/** The ids of clicks; ids that are no UUIDs are left out, since no table holds such clicks. */
export async function idsOf({ bytes }: Pick<Clicks, 'bytes'>): Promise<string[]> {
  const ids: string[] = [];
  for await (const lines of linesInTurns(bytes)) ids.push(...lines.map(([start]) => idAt(bytes, start)));
  return ids.filter((id) => wellFormedId.test(id));
}

/** Lines of all other clicks. */
export async function withoutIds({ bytes }: Pick<Clicks, 'bytes'>, ids: ReadonlySet<string>): Promise<Buffer> {
  const known: Line[] = [];
  for await (const lines of linesInTurns(bytes)) known.push(...lines.filter(([start]) => ids.has(idAt(bytes, start))));
  return without(bytes, known);
}

/** The moments (Unix, milliseconds) of the first and the last line. */
export function firstAndLastMs(bytes: Buffer): [firstMs: number, lastMs: number] {
  const lastStart = bytes.lastIndexOf(newline, bytes.length - 2) + 1;
  const [first, last] = [0, lastStart].map((start) =>
    Date.parse(bytes.toString('latin1', start + clickedAtStart, start + clickedAtEnd)),
  );
  return [first!, last!];
}

const idAt = (bytes: Buffer, line: number): string => bytes.toString('latin1', line, line + idEnd);
const linkIdAt = (bytes: Buffer, line: number): string =>
  bytes.toString('latin1', line + linkIdStart, line + linkIdEnd);

/** All lines, some two hundred at a time; yields to the event loop in between. */
export async function* linesInTurns(bytes: Buffer): AsyncGenerator<Line[]> {
  for (let start = 0; start < bytes.length;) {
    if (start > 0) await nextTurn();
    const lines: Line[] = [];
    for (const turnEnd = start + turnBytes; start < bytes.length && start < turnEnd;) {
      const end = endOfLine(bytes, start);
      lines.push([start, end]);
      start = end;
    }
    yield lines;
  }
}

interface Counted {
  clicks: number;
  lastMs: number;
}

/** Adds up clicks by quarter of an hour; minutes are `YYYY-MM-DDTHH:MM`. */
function createQuarterCounts(): { of(minute: string): Map<string, Counted>; all(): QuarterClicks[] } {
  const quarters = new Map<string, QuarterClicks & { perLink: Map<string, Counted> }>();
  return {
    of(minute) {
      const day = minute.slice(0, 10);
      const quarter = Number(minute.slice(11, 13)) * 4 + Math.floor(Number(minute.slice(14)) / 15);
      const key = `${day} ${quarter}`;
      let known = quarters.get(key);
      if (known === undefined) quarters.set(key, (known = { day, quarter, perLink: new Map() }));
      return known.perLink;
    },
    all: () => [...quarters.values()],
  };
}

function sumOf(quarters: readonly QuarterClicks[]): ReadonlyMap<string, LinkClicks> {
  if (quarters.length === 1) return quarters[0]!.perLink;
  const sum = new Map<string, Counted>();
  for (const { perLink } of quarters) {
    for (const [linkId, { clicks, lastMs }] of perLink) {
      const known = sum.get(linkId);
      if (known === undefined) sum.set(linkId, { clicks, lastMs });
      else {
        known.clicks += clicks;
        known.lastMs = Math.max(known.lastMs, lastMs);
      }
    }
  }
  return sum;
}

/** Reads the digits of `SS.mmm`. */
function millisecondOfMinute(bytes: Buffer, line: number): number {
  const digit = (at: number): number => bytes[line + secondStart + at]! - zero;
  return digit(0) * 10_000 + digit(1) * 1_000 + digit(3) * 100 + digit(4) * 10 + digit(5);
}

function isSameMinute(bytes: Buffer, line: number, other: number): boolean {
  // From the end, where minutes differ.
  for (let at = clickedAtStart + minuteLength - 1; at >= clickedAtStart; at -= 1) {
    if (bytes[line + at] !== bytes[other + at]) return false;
  }
  return true;
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

/** Counts the columns of a line; 0 where this release cannot read it as a click. */
function countColumns(bytes: Buffer, start: number, end: number, max: number): number {
  if (!hasForm(bytes, start, end)) return 0;
  let count = 1;
  for (let at = bytes.indexOf(tab, start); at !== -1 && at < end; at = bytes.indexOf(tab, at + 1)) count += 1;
  return count >= minColumns && count <= max ? count : 0;
}

function without(bytes: Buffer, ranges: readonly Line[]): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    kept.push(bytes.subarray(from, start));
    from = end;
  }
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}
