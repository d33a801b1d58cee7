import { queryOptions } from '@tanstack/react-query';
import type { output } from 'zod';
import type {
  changedDomainSchema,
  checkedDomainSchema,
  createdDomainSchema,
  domainDnsSchema,
  domainListSchema,
  domainSchema,
} from '#api/domain/schema.ts';
import { call } from './client.ts';

/** A domain of the organization. */
export type Domain = output<typeof domainSchema>;
/** A domain's DNS records as they were last found, beside what they must be. */
export type DomainDns = output<typeof domainDnsSchema>;
type DomainPage = output<typeof domainListSchema>;

/** Domains on a page of the list. */
export const domainsPerPage = 50;

/** A domain of the organization by its id. */
export function domainQuery(id: string) {
  return queryOptions({
    queryKey: ['domains', 'one', id],
    queryFn: ({ signal }) => call<Domain>('GET', '/domain/{id}', { params: { id }, signal }),
  });
}

/** Domains of the organization with their numbers of links, oldest first. @param page the first is 0. */
export function domainListQuery(page = 0) {
  return queryOptions({
    queryKey: ['domains', 'list', page],
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      call<DomainPage>('GET', '/domain/list', { query: { page, limit: domainsPerPage, withCounts: true }, signal }),
  });
}

/** Own domains whose name has a text, with their numbers of links, the first 50. */
export function domainSearchQuery(search: string) {
  return queryOptions({
    queryKey: ['domains', 'search', search],
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      call<DomainPage>('GET', '/domain/list', { query: { search, limit: domainsPerPage, withCounts: true }, signal }),
  });
}

const awaitedEveryMs = 2_000;
const everyMs = 30_000;

/** How the records of a domain stand: asked often while they are not right. */
export function domainDnsQuery(id: string) {
  return queryOptions({
    queryKey: ['domains', 'dns', id],
    queryFn: ({ signal }) => call<DomainDns>('GET', '/domain/{id}/dns', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'verified' ? everyMs : awaitedEveryMs),
  });
}

/** Adds a domain. @param intent one key for each time that the person means it. */
export function createDomain(domain: string, intent: string): Promise<output<typeof createdDomainSchema>> {
  return call('POST', '/domain', { body: { domain }, idempotencyKey: intent });
}

/** What of a domain can be changed here. */
export type DomainPatch = Partial<
  Pick<Domain, 'qrCode' | 'isActive' | 'isPrimary' | 'fallbackUrl' | 'appleAppSiteAssociation' | 'androidAssetLinks'>
>;

export function updateDomain(id: string, patch: DomainPatch): Promise<output<typeof changedDomainSchema>> {
  return call('PATCH', '/domain/{id}', { params: { id }, body: patch });
}

/** Asks the name servers for a domain's records, within ten seconds. */
export function checkDomain(id: string): Promise<output<typeof checkedDomainSchema>> {
  return call('POST', '/domain/{id}/dns-check', { params: { id } });
}

/** Deletes a domain with its links. */
export function deleteDomain(id: string): Promise<unknown> {
  return call('DELETE', '/domain/{id}', { params: { id } });
}
