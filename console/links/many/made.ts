import { forgetKept, keep, readKept } from '#console/ui/browser/kept.ts';
import { keptMadeName } from './lines.ts';
import type { Outcome } from './make.ts';

// Lines that became links, beside the text in `lines.ts`: after Back or a reload they are no lines to be made once more.

interface KeptMade {
  organizationId: string;
  made: [string, Outcome][];
}

/** @returns what became of lines that became links of an organization, by their keys. */
export function readMade(organizationId: string): ReadonlyMap<string, Outcome> {
  const kept = readKept('sessionStorage', keptMadeName) as KeptMade | undefined;
  return new Map(kept?.organizationId === organizationId ? kept.made : []);
}

/** Keeps those of some outcomes that are links, beside the kept ones. */
export function keepMade(organizationId: string, outcomes: ReadonlyMap<string, Outcome>): void {
  const made = [...outcomes].filter(([, { shortUrl }]) => shortUrl !== undefined);
  keep('sessionStorage', keptMadeName, { organizationId, made: [...readMade(organizationId), ...made] });
}

export function forgetMade(): void {
  forgetKept('sessionStorage', keptMadeName);
}
