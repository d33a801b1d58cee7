/** What Web Risk may find at a destination. */
export const threatTypes = [
  'MALWARE',
  'SOCIAL_ENGINEERING',
  'UNWANTED_SOFTWARE',
  'SOCIAL_ENGINEERING_EXTENDED_COVERAGE',
] as const;

export type ThreatType = (typeof threatTypes)[number];
