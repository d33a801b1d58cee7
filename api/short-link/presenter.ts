import type { Site } from '../../core/site.ts';
import type { LinkView } from '../../db/link-view.ts';
import type { ShortLink } from './schema.ts';

/** Shapes a link for clients. */
export function presentLink(link: LinkView, site: Site): ShortLink {
  const { domain, metaTags } = link;
  return {
    id: link.id,
    organizationId: link.organizationId,
    domainId: domain.id,
    domain: {
      id: domain.id,
      domain: domain.domain,
      isPrimary: domain.isPrimary,
      isVerified: domain.isVerified,
      createdAt: domain.organizationId === null ? null : domain.createdAt.toISOString(),
    },
    folderId: link.folderId,
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
    title: link.title,
    externalId: link.externalId,
    isActive: link.isActive,
    expiresAt: link.expiresAt?.toISOString() ?? null,
    expiredUrl: link.expiredUrl,
    maxClicks: link.maxClicks,
    currentClicks: link.currentClicks,
    hasPassword: link.hasPassword,
    cloaking: link.cloaking,
    forwardQuery: link.forwardQuery,
    utmSource: link.utmSource,
    utmMedium: link.utmMedium,
    utmCampaign: link.utmCampaign,
    utmTerm: link.utmTerm,
    utmContent: link.utmContent,
    createdAt: link.createdAt.toISOString(),
    updatedAt: link.updatedAt.toISOString(),
  };
}
