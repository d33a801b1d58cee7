/** Which tasks Temporal hands out first: what a caller waits for, what customers notice, and all else. */
export const priorities = { awaited: 1, usual: 3, background: 5 } as const;

/** Tasks of a premium organization for each one of a free organization, where both wait at one priority. */
export const premiumWeight = 3;
