import { once } from 'node:events';

/** Aligns columns with two spaces between them and two before each row. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, index) => Math.max(...rows.map((row) => row[index]!.length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index]!))).join('  ');
  return rows.map((row) => `  ${line(row)}`.trimEnd()).join('\n');
}

/** `1 session`, `2 sessions`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `2026-03-14T15:09:26Z`, or `-` for none. */
export const moment = (date: Date | null): string => (date === null ? '-' : date.toISOString().slice(0, 19) + 'Z');

/** A write function that waits while a stream is full, such as a pipe that is read slowly. */
export function writerTo(stream: NodeJS.WritableStream): (text: string) => Promise<void> {
  return async (text) => {
    if (!stream.write(text)) await once(stream, 'drain');
  };
}
