import type { Actor } from '#core/organizations/actor.ts';
import { webAddressesOf } from '#core/links/deep-link.ts';
import type { DestinationDraft } from '#core/links/destination.ts';
import { readHostName } from '#core/domains/name.ts';
import { AppError, invalid, type Issue } from '#core/errors/errors.ts';
import { foldCase } from '#core/lib/fold-case.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import type { Site } from '#core/links/site.ts';
import { slugKey } from '#core/links/slug.ts';
import type { Transaction } from '#db/connection/database.ts';
import { type DomainRow, type ReferencedRows, readReferencedRows } from '#db/links/references.ts';
import { type LinkChains, noChains, readLinkChains } from './chains.ts';

/** What of a draft, or of a link as a patch will leave it, refers to something else. */
export type Referring = Partial<
  Pick<LinkDraft, 'domain' | 'domainId' | 'folderId' | 'qrCode' | 'metaTags' | 'tags' | 'expiredUrl'>
> & {
  destination: LeadingTo;
  rules?: readonly { destination: LeadingTo }[] | null;
};

/** A destination as far as it says where visitors may be sent. */
type LeadingTo = Pick<DestinationDraft, 'type' | 'value'> & Partial<DestinationDraft>;

/** The rows that drafts refer to, and where the chains of links lead that they would be part of. */
export type ReferenceRows = ReferencedRows & { chains: LinkChains };

/** What a draft refers to, found: the rows' ids, and the tag names that stand for rows. */
export interface LinkReferences {
  domain: DomainRow;
  folderId: string;
  /** Folded names, in the order given, each once. */
  tagKeys: string[];
}

const unique = (items: readonly (string | null | undefined)[]): string[] => [
  ...new Set(items.filter((item): item is string => item !== null && item !== undefined)),
];

/** The web addresses that a draft leads to, those of deep links too, with the path of the field that holds each. */
function addressesOf(draft: Referring): { path: string; value: string }[] {
  const of = (path: string, { type, value, iosDeepLink, androidDeepLink }: LeadingTo) => [
    ...(type === 'link' ? [{ path: `${path}.value`, value }] : []),
    ...(iosDeepLink ? webAddressesOf(iosDeepLink).map((url) => ({ path: `${path}.iosDeepLink`, value: url })) : []),
    ...(androidDeepLink
      ? webAddressesOf(androidDeepLink).map((url) => ({ path: `${path}.androidDeepLink`, value: url }))
      : []),
  ];
  return [
    ...of('destination', draft.destination),
    ...(draft.rules ?? []).flatMap((rule, index) => of(`rules.${index}.destination`, rule.destination)),
    ...(draft.expiredUrl ? [{ path: 'expiredUrl', value: draft.expiredUrl }] : []),
  ];
}

/** What may be wrong with a link only where it stands, and for whom. */
export interface LinkPlace {
  actor: Actor;
  site: Site;
  /** Its domain's name. */
  domain: string;
  slug: string;
}

/**
 * Names every field of a link that leads to the link itself, or to another that leads back; an `expiredUrl` that stays on
 * its own domain (3.5); and images that are not the organization's, or of the wrong kind (8.3).
 */
export function findIssues(draft: Referring, place: LinkPlace, rows: ReferenceRows): Issue[] {
  return [...imageIssues(draft, rows, place.actor), ...loopIssues(draft, place, rows)];
}

function loopIssues(draft: Referring, { domain, slug, site }: LinkPlace, { chains }: ReferenceRows): Issue[] {
  const isHere = (value: string): boolean => {
    const address = site.parse(value);
    return address?.host === domain && slugKey(address.slug) === slugKey(slug);
  };
  const problemOf = (path: string, value: string): string | undefined => {
    if (path === 'expiredUrl' && URL.parse(value)?.hostname.replace(/\.$/, '') === domain) {
      return "must lead to another host than the link's own domain";
    }
    if (isHere(value)) return 'is the short link itself';
    return chains.leadsTo(value, { host: domain, slug }) ? 'is a short link that leads back to this one' : undefined;
  };
  return addressesOf(draft).flatMap(({ path, value }) => {
    const message = problemOf(path, value);
    return message === undefined ? [] : { path, message };
  });
}

/** Writes down where a link leads now: the next one of the same call may not lead back to it. */
export function rememberTarget(draft: Referring, domain: string, slug: string, { chains }: ReferenceRows): void {
  chains.note(
    { host: domain, slug },
    addressesOf(draft).map(({ value }) => value),
  );
}

/**
 * Reads what drafts of some organizations refer to, all at once. Where one leads to a host of ours, nobody else makes or changes
 * such a link until the end of the transaction.
 */
export async function readReferences(
  tx: Transaction,
  organizationIds: readonly string[],
  drafts: readonly Referring[],
  site: Site,
): Promise<ReferenceRows> {
  const urls = [...new Set(drafts.flatMap((draft) => addressesOf(draft).map(({ value }) => value)))];
  const rows = await readReferencedRows(tx, {
    organizationIds: unique(organizationIds),
    platformHost: site.platformHost,
    domainIds: unique(drafts.map((draft) => draft.domainId)),
    domainNames: unique(drafts.map((draft) => normalizeDomainName(draft.domain, site))),
    folderIds: unique(drafts.map((draft) => draft.folderId)),
    fileIds: unique(drafts.flatMap((draft) => [draft.qrCode?.imageId, draft.metaTags?.imageId])),
    tagKeys: unique(drafts.flatMap((draft) => draft.tags?.map(foldCase))),
    hosts: unique(urls.map((url) => site.parse(url)?.host)),
  });
  const ours = new Set(rows.ownHosts);
  const leadHere = urls.filter((url) => ours.has(site.parse(url)?.host ?? ''));
  const chains = leadHere.length === 0 ? noChains(site) : await readLinkChains(tx, leadHere, site);
  return { ...rows, chains };
}

/**
 * Finds what one draft refers to.
 * @throws AppError 403 for another organization's id, 404 for an unknown one, 400 for a domain that is not verified and for
 * `domain` and `domainId` that disagree (3.4, 1.4).
 */
export function resolveReferences(draft: Referring, rows: ReferencedRows, actor: Actor, site: Site): LinkReferences {
  const domain = resolveDomain(draft, rows.domains, actor, site);
  const folderId = resolveFolder(draft, rows, actor);
  return { domain, folderId, tagKeys: unique(draft.tags?.map(foldCase) ?? []) };
}

/** A domain name as it is stored. What answers hold as the platform's address, with its port, can be sent back. */
function normalizeDomainName(domain: string | undefined, site: Site): string | undefined {
  if (domain === undefined) return undefined;
  const name = domain.trim().toLowerCase();
  return name === site.platformDomain || name === site.shownDomain ? site.platformHost : readHostName(domain);
}

/** Finds the domain that a draft names, or the one that it gets without a name (3.4). */
export function resolveDomain(
  draft: Pick<Referring, 'domain' | 'domainId'>,
  domains: readonly DomainRow[],
  actor: Actor,
  site: Site,
): DomainRow {
  const mine = (row: DomainRow): boolean => row.organizationId === actor.organizationId;
  const own = (row: DomainRow): boolean => mine(row) || row.organizationId === null;
  if (draft.domainId === undefined && draft.domain === undefined) {
    const primary = domains.find((row) => mine(row) && row.isPrimary && row.isVerified && row.isActive);
    const platform = domains.find((row) => row.organizationId === null && row.domain === site.platformHost);
    const chosen = primary ?? platform;
    if (chosen === undefined) throw new AppError('NOT_FOUND', 'There is no domain for this link.');
    return chosen;
  }
  const byId = domains.find((row) => row.id === draft.domainId);
  if (byId !== undefined && !own(byId)) throw new AppError('FORBIDDEN');
  const name = normalizeDomainName(draft.domain, site);
  // A name may stand for a verified domain of this organization and for a platform domain: the organization's comes first.
  const named = domains.filter((row) => row.domain === name && own(row));
  const byName = named.find(mine) ?? named[0];
  if (draft.domainId !== undefined && byId === undefined)
    throw new AppError('NOT_FOUND', 'This domain does not exist.');
  if (draft.domain !== undefined && byName === undefined)
    throw new AppError('NOT_FOUND', 'This domain does not exist.');
  if (byId !== undefined && byName !== undefined && byId.id !== byName.id) {
    throw invalid('domainId', 'names another domain than domain does');
  }
  const domain = (byId ?? byName)!;
  const path = byId === undefined ? 'domain' : 'domainId';
  if (domain.organizationId !== null && !domain.isVerified) throw invalid(path, 'is not verified yet');
  return domain;
}

/** Finds the folder that a draft names, or the default one. */
export function resolveFolder(draft: Pick<Referring, 'folderId'>, { folders }: ReferencedRows, actor: Actor): string {
  if (draft.folderId === undefined) {
    const folder = folders.find((row) => row.isDefault && row.organizationId === actor.organizationId);
    if (folder === undefined) throw new Error(`Organization ${actor.organizationId} has no default folder.`);
    return folder.id;
  }
  const folder = folders.find((row) => row.id === draft.folderId);
  if (folder === undefined) throw new AppError('NOT_FOUND', 'This folder does not exist.');
  if (folder.organizationId !== actor.organizationId) throw new AppError('FORBIDDEN');
  return folder.id;
}

function imageIssues({ qrCode, metaTags }: Referring, rows: ReferencedRows, actor: Actor): Issue[] {
  return [
    ...issuesOfImage(qrCode?.imageId, 'qr-code', 'qrCode.imageId', rows, actor),
    ...issuesOfImage(metaTags?.imageId, 'meta-tag', 'metaTags.imageId', rows, actor),
  ];
}

function issuesOfImage(
  id: string | null | undefined,
  kind: 'meta-tag' | 'qr-code',
  path: string,
  { files }: ReferencedRows,
  actor: Actor,
): Issue[] {
  if (id === null || id === undefined) return [];
  const file = files.find((row) => row.id === id);
  if (file?.organizationId === actor.organizationId && file.kind === kind) return [];
  return [{ path, message: `is not the id of an uploaded ${kind === 'qr-code' ? 'QR code' : 'preview'} image` }];
}
