/**
 * The quotas of each plan, the one place that knows them (2.3, 2.4). `null`: without limit. The command that creates a thing answers 403
 * PLAN_LIMIT_REACHED beyond them: `commands/links/create/create.ts` for links.
 */
export const plans = {
  free: { shortLinks: 10, domains: 1, tags: 3, folders: 1, webhooks: 0, fileBytes: 10_485_760 },
  premium: { shortLinks: null, domains: 100, tags: 100, folders: 100, webhooks: 50, fileBytes: 1_073_741_824 },
} as const satisfies Record<string, Record<Quota, number | null>>;

export const planNames = Object.keys(plans) as [Plan, ...Plan[]];

export type Plan = keyof typeof plans;
/** Quotas: counts of things, and the bytes of all uploaded files. */
export type Quota = 'shortLinks' | 'domains' | 'tags' | 'folders' | 'webhooks' | 'fileBytes';
