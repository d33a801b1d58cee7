import { showPlain } from '#core/links/fields.ts';
import type { Site } from '#core/links/site.ts';
import type { LinkView } from '#db/links/view.ts';
import type { ShortLink, ShortLinkItem } from './schema.ts';

export function presentLink(link: LinkView, site: Site): ShortLink {
  const { domain, metaTags } = link;
  return {
    id: link.id,
    organizationId: link.organizationId,
    domainId: domain.id,
    domain: presentDomainSummary(domain),
    folderId: link.folderId,
    folder: link.folder,
    slug: link.slug,
    originUrl: site.originUrl(domain.domain, link.slug),
    destination: link.destination,
    destinationId: link.destinationId,
    rules: link.rules,
    qrCode: link.qrCode,
    qrCodeId: link.qrCodeId,
    metaTags: {
      title: metaTags.title,
      description: metaTags.description,
      imageId: metaTags.imageId,
      image: metaTags.imageId === null ? null : { id: metaTags.imageId, key: metaTags.imageKey ?? '' },
    },
    tags: link.tags,
    ...showPlain(link),
    currentClicks: link.currentClicks,
    lastClickedAt: link.lastClickedAt?.toISOString() ?? null,
    hasPassword: link.hasPassword,
    takenDown: presentTakenDown(link),
    createdAt: link.createdAt.toISOString(),
    updatedAt: link.updatedAt.toISOString(),
  };
}

export function presentLinkItem(link: LinkView, site: Site, { withQrCode }: { withQrCode: boolean }): ShortLinkItem {
  const { domain } = link;
  const { isActive, isArchived, title, externalId, expiresAt, maxClicks } = showPlain(link);
  return {
    id: link.id,
    isActive,
    isArchived,
    slug: link.slug,
    originUrl: site.originUrl(domain.domain, link.slug),
    title,
    externalId,
    expiresAt,
    maxClicks,
    hasPassword: link.hasPassword,
    takenDown: presentTakenDown(link),
    currentClicks: link.currentClicks,
    lastClickedAt: link.lastClickedAt?.toISOString() ?? null,
    destination: link.destination,
    domain: presentDomainSummary(domain),
    folder: link.folder,
    tags: link.tags,
    createdAt: link.createdAt.toISOString(),
    updatedAt: link.updatedAt.toISOString(),
    ...(withQrCode ? { qrCode: link.qrCode } : {}),
  };
}

function presentTakenDown({ takenDown }: Pick<LinkView, 'takenDown'>): ShortLink['takenDown'] {
  return takenDown && { at: new Date(takenDown.at).toISOString(), reason: takenDown.reason };
}

/** A domain as links embed it. A platform domain shows no date. */
function presentDomainSummary(domain: LinkView['domain']): ShortLink['domain'] {
  return {
    id: domain.id,
    domain: domain.domain,
    isPrimary: domain.isPrimary,
    isVerified: domain.isVerified,
    createdAt: domain.organizationId === null ? null : new Date(domain.createdAt).toISOString(),
  };
}
