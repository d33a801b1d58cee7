import type { SearchAttributePair } from '@temporalio/common';
import { domainIdKey, nameKey, organizationIdKey, processName, stateKey } from '#core/lib/search-attributes.ts';

/** A domain whose actor is to be started or woken. */
export interface DomainTarget {
  id: string;
  organizationId: string;
  /** Its name, lower-case punycode. */
  domain: string;
}

/** What a domain's actor is given at its start. */
export interface DomainInput {
  domainId: string;
  organizationId: string;
  domain: string;
}

/**
 * `unverified`: its records are not right yet; `verified`; `failing`: verified, but its last checks found it wrong; `taken`:
 * another organization has verified the name; `deleted`: the actor has ended.
 */
export type DomainState = 'unverified' | 'verified' | 'failing' | 'taken' | 'deleted';

/** Name of the actor's workflow. */
export const domainWorkflowType = 'domain';
/** Names of the messages that it takes: a signal, and an update. */
export const domainMessages = { wake: 'wake', check: 'check' } as const;

const state: DomainState = 'unverified';

/** How a domain's actor is started, by whoever needs it first: one for each domain, found by domain and organization. */
export function startOfDomain({ id, organizationId, domain }: DomainTarget) {
  const input: DomainInput = { domainId: id, organizationId, domain };
  return {
    workflowId: `domain/${id}`,
    args: [input] as [DomainInput],
    // A worker that died in the middle of a decision is not waited for longer than this.
    workflowTaskTimeout: '3s' as const,
    staticSummary: `Domain ${domain}`,
    typedSearchAttributes: [
      { key: organizationIdKey, value: [organizationId] },
      { key: domainIdKey, value: [id] },
      { key: nameKey, value: processName([domain]) },
      { key: stateKey, value: state },
    ] satisfies SearchAttributePair[],
  };
}
