import type { Site } from '#core/links/site.ts';
import type { LinkView } from '#db/links/view.ts';
import { present } from '#api/present.ts';
import {
  domainSummarySchema,
  listedLinkSchema,
  metaTagsSchema,
  type ShortLink,
  type ShortLinkItem,
  shortLinkSchema,
} from './schema.ts';

export function presentLink(link: LinkView, site: Site): ShortLink {
  const { domain, metaTags } = link;
  const { imageId, imageKey } = metaTags;
  return present(shortLinkSchema, link, {
    domainId: domain.id,
    domain: presentDomainSummary(domain),
    originUrl: site.originUrl(domain.domain, link.slug),
    metaTags: present(metaTagsSchema, metaTags, {
      image: imageId === null ? null : { id: imageId, key: imageKey ?? '' },
    }),
    takenDown: link.takenDown && { ...link.takenDown, at: new Date(link.takenDown.at).toISOString() },
  });
}

export function presentLinkItem(link: LinkView, site: Site, { withQrCode }: { withQrCode: boolean }): ShortLinkItem {
  const shown = present(listedLinkSchema, presentLink(link, site), {});
  return withQrCode ? { ...shown, qrCode: link.qrCode } : shown;
}

/** A domain as links embed it. A platform domain shows no date. */
function presentDomainSummary(domain: LinkView['domain']): ShortLink['domain'] {
  const createdAt = domain.organizationId === null ? null : new Date(domain.createdAt);
  return present(domainSummarySchema, domain, { createdAt });
}
