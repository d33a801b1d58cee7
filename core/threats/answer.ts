import type { ThreatType } from './types.ts';

/** A scanner's answer about a URL. An empty list: clean. Valid until `expiresAt`. */
export interface ScanAnswer {
  threatTypes: ThreatType[];
  expiresAt: Date;
}

/** Answers that this installation knows without asking a service, by URL. */
export type LocalAnswers = ReadonlyMap<string, ScanAnswer>;

/** For calls that know no answers. */
export const noLocalAnswers: LocalAnswers = new Map();
