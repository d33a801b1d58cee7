import { forgetKept, keep, readKept } from '#console/ui/browser/kept.ts';

// What this file holds is part of the first load: the frame tells by it what was pasted.

/** The most lines that become links at once; a CSV file can have more. */
export const mostLines = 500;
const longestText = 1_000_000;
const keptName = 'waymark.many';
/** Name of what became of the lines. */
export const keptMadeName = 'waymark.many.made';

/** Whether a text that was pasted is a list of addresses, one a line. */
export function isManyAddresses(text: string): boolean {
  if (text.length > longestText) return false;
  const lines = linesOf(text);
  return (
    lines.length > 1 && lines.every((line) => /^(?:[a-z][a-z\d+.-]*:\/\/\S+|[^\s/@]+\.[^\s]+)(?:\s+\S+)?$/i.test(line))
  );
}

/** Lines that are not empty. */
export function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Keeps a text for the page of many links, which also finds it after a reload. */
export function keepText(text: string): void {
  keep('sessionStorage', keptName, text);
}

/** Gives the page of many links another list. */
export function keepLines(text: string): void {
  forgetKept('sessionStorage', keptMadeName);
  keepText(text);
}

/** @returns the text that was kept last, or an empty one. */
export function readKeptLines(): string {
  const kept = readKept('sessionStorage', keptName);
  return typeof kept === 'string' ? kept : '';
}
