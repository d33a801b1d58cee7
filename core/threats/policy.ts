/** What visitors of a link with known threats get: a page that warns them, the redirect, or a page that blocks the link. */
export const threatPolicies = ['warn', 'pass', 'block'] as const;

/** An organization's choice. */
export type ThreatPolicy = (typeof threatPolicies)[number];
