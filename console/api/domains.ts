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
import { readQuery } from './query.ts';

export type Domain = output<typeof domainSchema>;
/** A domain's DNS records as they were last found, beside what they must be. */
export type DomainDns = output<typeof domainDnsSchema>;
type DomainPage = output<typeof domainListSchema>;

export const domainsPerPage = 50;

export function domainQuery(id: string) {
  return readQuery<Domain>(['domains', 'one', id], '/domain/{id}', { params: { id } });
}

/** Domains of the organization with their numbers of links, oldest first. @param page the first is 0. */
export function domainListQuery(page = 0) {
  const query = { page, limit: domainsPerPage, withCounts: true };
  return readQuery<DomainPage>(['domains', 'list', page], '/domain/list', { query, staleTime: 30_000 });
}

/** Own domains whose name has a text, with their numbers of links, the first 50. */
export function domainSearchQuery(search: string) {
  const query = { search, limit: domainsPerPage, withCounts: true };
  return readQuery<DomainPage>(['domains', 'search', search], '/domain/list', { query, staleTime: 30_000 });
}

const awaitedEveryMs = 2_000;
const everyMs = 30_000;

/** How the records of a domain stand: asked often while they are not right. */
export function domainDnsQuery(id: string) {
  return readQuery<DomainDns>(['domains', 'dns', id], '/domain/{id}/dns', {
    params: { id },
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

export function deleteDomain(id: string): Promise<unknown> {
  return call('DELETE', '/domain/{id}', { params: { id } });
}
