/** A change of a threat list that is malformed, too large, or does not fit the list. */
export class ThreatDiffError extends Error {}
