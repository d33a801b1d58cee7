import type { Actor } from '#core/audit/actor.ts';
import { readHostName } from '#core/domains/name.ts';
import { AppError, invalidFields, type Issue, refusedReference } from '#core/errors/errors.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import type { Site } from '#core/links/site.ts';
import type { DomainRow } from '#db/links/references.ts';

/** A domain name as it is stored. Answers show the platform's domain with its port: that form is accepted too. */
export function normalizeDomainName(domain: string | undefined, site: Site): string | undefined {
  if (domain === undefined) return undefined;
  const name = domain.trim().toLowerCase();
  return name === site.platformDomain || name === site.shownDomain ? site.platformHost : readHostName(domain);
}

/** The domain that a draft names, by id or by name; without either: the default one. */
type DomainDraft = Partial<Pick<LinkDraft, 'domain' | 'domainId'>>;

/** The part of a domain that decides whether a link may be put on it. */
export type DomainChoice = Omit<DomainRow, 'createdAt' | 'qrOptions' | 'qrImageId'>;

/** Finds the domain that a draft names, or the default one. @throws AppError FORBIDDEN, NOT_FOUND. */
export function resolveDomain<Row extends DomainChoice>(
  draft: DomainDraft,
  domains: readonly Row[],
  actor: Actor,
  site: Site,
): Row {
  const mine = (row: Row): boolean => row.organizationId === actor.organizationId;
  const own = (row: Row): boolean => mine(row) || row.organizationId === null;
  if (draft.domainId === undefined && draft.domain === undefined) {
    const primary = domains.find((row) => mine(row) && row.isPrimary && row.isVerified && row.isActive);
    const platform = domains.find((row) => row.organizationId === null && row.domain === site.platformHost);
    const chosen = primary ?? platform;
    if (chosen === undefined) throw new AppError('NOT_FOUND', 'There is no domain for this link.');
    return chosen;
  }
  const byId = domains.find((row) => row.id === draft.domainId);
  if (byId !== undefined && !own(byId)) throw refusedReference('FORBIDDEN', 'domainId');
  const name = normalizeDomainName(draft.domain, site);
  // A verified domain of the organization may have the name of a platform domain: the organization's comes first.
  const named = domains.filter((row) => row.domain === name && own(row));
  const byName = named.find(mine) ?? named[0];
  const missing = (path: string): AppError => refusedReference('NOT_FOUND', path, 'This domain does not exist.');
  if (draft.domainId !== undefined && byId === undefined) throw missing('domainId');
  if (draft.domain !== undefined && byName === undefined) throw missing('domain');
  return (byId ?? byName)!;
}

/** Finds what is wrong with the domain that a draft names: two that disagree, or one that is not verified. */
export function domainIssues({ domain, domainId }: DomainDraft, found: DomainChoice, site: Site): Issue[] {
  if (domainId !== undefined && domain !== undefined && normalizeDomainName(domain, site) !== found.domain) {
    return [{ path: 'domainId', message: 'names another domain than domain does' }];
  }
  const path = domainId === undefined ? 'domain' : 'domainId';
  const isNamed = domainId !== undefined || domain !== undefined;
  const isReady = found.organizationId === null || found.isVerified;
  return isReady || !isNamed ? [] : [{ path, message: 'is not verified yet' }];
}

/** As `resolveDomain`. @throws also AppError VALIDATION_ERROR for a domain that no link may be put on. */
export function requireDomain<Row extends DomainChoice>(
  draft: DomainDraft,
  domains: readonly Row[],
  actor: Actor,
  site: Site,
): Row {
  const domain = resolveDomain(draft, domains, actor, site);
  const issues = domainIssues(draft, domain, site);
  if (issues.length > 0) throw invalidFields(issues);
  return domain;
}
