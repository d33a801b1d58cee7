/** What Web Risk may find at a destination. */
export const threatTypes = [
  'MALWARE',
  'SOCIAL_ENGINEERING',
  'UNWANTED_SOFTWARE',
  'SOCIAL_ENGINEERING_EXTENDED_COVERAGE',
] as const;

/** A kind of threat. */
export type ThreatType = (typeof threatTypes)[number];

/** What is found at several URLs together: known threats count, and it is clean (`[]`) once all of them are; null: not known. */
export function joinVerdicts(verdicts: readonly (readonly ThreatType[] | null)[]): ThreatType[] | null {
  const found = new Set(verdicts.flatMap((types) => types ?? []));
  if (found.size > 0) return threatTypes.filter((type) => found.has(type));
  return verdicts.includes(null) ? null : [];
}
