import type { Actor } from '#core/audit/actor.ts';
import { webAddressesOf } from '#core/links/deep-link.ts';
import type { DestinationDraft } from '#core/links/destination.ts';
import type { Issue } from '#core/errors/errors.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import type { Site } from '#core/links/site.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { type DomainRow, type FolderRow, type ReferencedRows, readReferencedRows } from '#db/links/references.ts';
import { type LinkChains, emptyChains, readLinkChains } from './chains.ts';
import { normalizeDomainName, resolveDomain } from './domain-choice.ts';

/** The references of a draft, or of a link as a patch will leave it. */
export type LinkReferences = Partial<
  Pick<LinkDraft, 'domain' | 'domainId' | 'folderId' | 'qrCode' | 'metaTags' | 'expiredUrl'>
> & {
  /** Names of tags. */
  tags?: readonly string[] | undefined;
  destination: DestinationTarget;
  rules?: readonly { destination: DestinationTarget }[] | null;
};

/** The part of a destination that says where visitors may be sent. */
type DestinationTarget = Pick<DestinationDraft, 'type' | 'value'> & Partial<DestinationDraft>;

/** The rows that drafts refer to, and the chains of links that the drafts would extend. */
export type ReferenceRows = ReferencedRows & { chains: LinkChains };

/** The references of a draft, found: ids of rows, and names of tags, which may still be created. */
export interface ResolvedReferences {
  domain: DomainRow;
  folder: FolderRow;
  /** Folded names, in the order given, each once. */
  tagKeys: string[];
}

const unique = (items: readonly (string | null | undefined)[]): string[] => [
  ...new Set(items.filter((item): item is string => item !== null && item !== undefined)),
];

/** The web addresses that a draft leads to, those of deep links included, with the paths of their fields. */
function addressFieldsOf(draft: LinkReferences): { path: string; value: string }[] {
  const of = (path: string, { type, value, iosDeepLink, androidDeepLink }: DestinationTarget) => [
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

/** Where a link stands: some drafts are wrong only there. */
interface LinkContext {
  actor: Actor;
  site: Site;
  /** Name of the link's domain. */
  domain: string;
  slug: string;
}

/**
 * Finds fields that lead to the link itself, or to a link that leads back; an `expiredUrl` on the link's own domain; and
 * images that are another organization's, or of the wrong kind.
 */
export function findIssues(draft: LinkReferences, context: LinkContext, rows: ReferenceRows): Issue[] {
  return [...imageIssues(draft, rows, context.actor), ...loopIssues(draft, context, rows)];
}

function loopIssues(draft: LinkReferences, { domain, slug, site }: LinkContext, { chains }: ReferenceRows): Issue[] {
  const isHere = (value: string): boolean =>
    site.candidatesOf(value).some((address) => address.host === domain && address.slug === slugKey(slug));
  const problemOf = (path: string, value: string): string | undefined => {
    if (path === 'expiredUrl' && site.isOn(value, domain)) {
      return "must lead to another host than the link's own domain";
    }
    // The slug is not generated yet: no address leads to it.
    if (slug === '') return undefined;
    if (isHere(value)) return 'is the short link itself';
    return chains.leadsTo(value, { host: domain, slug }) ? 'is a short link that leads back to this one' : undefined;
  };
  return addressFieldsOf(draft).flatMap(({ path, value }) => {
    const message = problemOf(path, value);
    return message === undefined ? [] : { path, message };
  });
}

/** Adds a link to the chains: a later link of the same call may not lead back to it. */
export function addToChains(draft: LinkReferences, domain: string, slug: string, { chains }: ReferenceRows): void {
  chains.remember(
    { host: domain, slug },
    addressFieldsOf(draft).map(({ value }) => value),
  );
}

/**
 * Reads the rows that drafts refer to, in one statement. Where a draft leads to a host of ours, other transactions change no
 * such link until the end of this one.
 */
export async function readReferences(
  em: EntityManager,
  organizationIds: readonly string[],
  drafts: readonly LinkReferences[],
  site: Site,
): Promise<ReferenceRows> {
  const hostOf = (url: string): string | undefined => site.candidatesOf(url)[0]?.host;
  const urls = [...new Set(drafts.flatMap((draft) => addressFieldsOf(draft).map(({ value }) => value)))];
  const rows = await readReferencedRows(em, {
    organizationIds: unique(organizationIds),
    platformHost: site.platformHost,
    domainIds: unique(drafts.map((draft) => draft.domainId)),
    domainNames: unique(drafts.map((draft) => normalizeDomainName(draft.domain, site))),
    folderIds: unique(drafts.map((draft) => draft.folderId)),
    fileIds: unique(drafts.flatMap((draft) => [draft.qrCode?.imageId, draft.metaTags?.imageId])),
    tagKeys: unique(drafts.flatMap((draft) => draft.tags?.map(foldCase))),
    hosts: unique(urls.map(hostOf)),
  });
  const ours = new Set(rows.ownHosts);
  const leadHere = ours.size === 0 ? [] : urls.filter((url) => ours.has(hostOf(url) ?? ''));
  const chains =
    leadHere.length === 0 ? emptyChains(site) : await readLinkChains(em, { urls: leadHere, organizationIds }, site);
  return { ...rows, chains };
}

/**
 * Finds the references of one draft.
 * @throws AppError 403 for another organization's id, 404 for an unknown one. `domainIssues` tells what else is wrong.
 */
export function resolveReferences(
  draft: LinkReferences,
  rows: ReferencedRows,
  actor: Actor,
  site: Site,
): ResolvedReferences {
  const domain = resolveDomain(draft, rows.domains, actor, site);
  const folder = resolveFolder(draft, rows, actor);
  return { domain, folder, tagKeys: unique(draft.tags?.map(foldCase) ?? []) };
}

/** Finds the folder that a draft names, or the default one. */
export function resolveFolder(
  draft: Pick<LinkReferences, 'folderId'>,
  { folders }: ReferencedRows,
  actor: Actor,
): FolderRow {
  if (draft.folderId === undefined) {
    const folder = folders.find((row) => row.isDefault && row.organizationId === actor.organizationId);
    if (folder === undefined) throw new Error(`Organization ${actor.organizationId} has no default folder.`);
    return folder;
  }
  return requireOwn(
    folders.find((row) => row.id === draft.folderId),
    actor,
    'folder',
    'folderId',
  );
}

function imageIssues({ qrCode, metaTags }: LinkReferences, rows: ReferencedRows, actor: Actor): Issue[] {
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
