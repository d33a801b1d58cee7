import { forgetKept, keep, readKept } from '#console/ui/browser/kept.ts';
import { keptMadeName as keptName } from './lines.ts';
import type { Outcome } from './make.ts';

// Lines that became links, beside the text in `lines.ts`: after Back or a reload they are no lines to be made once more.

/** @returns what became of lines that became links, by their keys. */
export function readMade(): ReadonlyMap<string, Outcome> {
  const kept = readKept('sessionStorage', keptName) as [string, Outcome][] | undefined;
  return new Map(kept);
}

/** Keeps those of some outcomes that are links, beside the kept ones. */
export function keepMade(outcomes: ReadonlyMap<string, Outcome>): void {
  const made = [...outcomes].filter(([, { shortUrl }]) => shortUrl !== undefined);
  keep('sessionStorage', keptName, [...readMade(), ...made]);
}

export function forgetMade(): void {
  forgetKept('sessionStorage', keptName);
}
