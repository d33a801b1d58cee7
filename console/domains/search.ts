import { countParameter, type Parameters } from '#console/app/places/search.ts';

/** Parameters of /domains. */
export interface DomainsSearch {
  page?: number;
}

export const domainsParameters: Parameters<DomainsSearch> = { page: countParameter };
