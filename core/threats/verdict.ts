import { type ThreatType, threatTypes } from './types.ts';

/**
 * The verdict that a link shows, from those of its destinations: known threats count, and it is clean (`[]`) once all of them
 * are; null: not known yet. `db/links/view.ts` says the same in SQL for links that are read, `commands/links/created-view.ts` for new
 * ones.
 */
export function joinVerdicts(verdicts: readonly (readonly ThreatType[] | null)[]): ThreatType[] | null {
  const found = new Set(verdicts.flatMap((types) => types ?? []));
  if (found.size > 0) return threatTypes.filter((type) => found.has(type));
  return verdicts.includes(null) ? null : [];
}
