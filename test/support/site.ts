import { createSite } from '#core/links/site.ts';

const siteOptions = { scheme: 'http', platformDomain: 'localhost:3001' } as const;

/** The site of edges and ingests in the tests. */
export const site = createSite(siteOptions);
