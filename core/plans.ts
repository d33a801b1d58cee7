/** The quotas of each plan, the one place that knows them (2.3, 2.4). `null`: without limit. */
export const plans = {
  free: { shortLinks: 10, domains: 1, tags: 3, folders: 1, webhooks: 0 },
  premium: { shortLinks: null, domains: 100, tags: 100, folders: 100, webhooks: 50 },
} as const satisfies Record<string, Record<Quota, number | null>>;

/** A plan's name. */
export type Plan = keyof typeof plans;
/** What a plan limits. */
export type Quota = 'shortLinks' | 'domains' | 'tags' | 'folders' | 'webhooks';
