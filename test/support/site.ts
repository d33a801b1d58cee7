import { createSite } from '#core/links/site.ts';

/** The site of edges and ingests in the tests. */
export const site = createSite({ scheme: 'http', platformDomain: 'localhost:3001' });
