import type { DomainRow } from '#db/links/references.ts';
import type { DestinationInsert, LinkInsert } from '#db/links/insert.ts';
import type { DestinationView, LinkView } from '#db/links/view.ts';
import type { Verdicts } from '#commands/threats/verdicts.ts';

/** The rows of a new link: an answer shows it from these, without reading it back. */
export interface CreatedLink {
  insert: LinkInsert;
  domain: DomainRow;
}

/**
 * Whether the rows hold everything that an answer shows. They lack the names of tags, the key of a preview image, and the
 * verdicts of deep links.
 */
export function canShowUnread({ destinations, metaTags, tagIds }: LinkInsert): boolean {
  if (tagIds.length > 0 || (metaTags !== null && metaTags.image_id !== null)) return false;
  return destinations.every((row) => row.deep_link_hashes === null);
}

/** Shows a new link with the verdicts that are known by now. */
export function createdView(
  { insert: { link, destinations, rules, qrCode, metaTags }, domain }: CreatedLink,
  verdicts: Verdicts,
): Omit<LinkView, 'folder'> {
  const main = destinations.find((row) => row.rule_id === null)!;
  const show = (row: DestinationInsert): DestinationView => showDestination(row, verdicts);
  return {
    id: link.id,
    organizationId: link.organization_id,
    domain: {
      id: domain.id,
      organizationId: domain.organizationId,
      domain: domain.domain,
      isPrimary: domain.isPrimary,
      isVerified: domain.isVerified,
      createdAt: new Date(domain.createdAt),
    },
    folderId: link.folder_id,
    slug: link.slug,
    destinationId: main.id,
    destination: show(main),
    rules: rules.map((rule) => ({
      id: rule.id,
      priority: rule.priority,
      countries: rule.countries,
      languages: rule.languages,
      osTypes: rule.os_types,
      destination: show(destinations.find((row) => row.rule_id === rule.id)!),
    })),
    qrCodeId: link.qr_code_id,
    qrCode: qrCode === null ? null : { options: qrCode.options, imageId: qrCode.image_id },
    metaTags: {
      title: metaTags?.title ?? null,
      description: metaTags?.description ?? null,
      imageId: null,
      imageKey: null,
    },
    tags: [],
    title: link.title,
    externalId: link.external_id,
    isActive: link.is_active,
    expiresAt: link.expires_at,
    expiredUrl: link.expired_url,
    maxClicks: link.max_clicks,
    currentClicks: 0,
    hasPassword: link.password_hash !== null,
    cloaking: link.cloaking,
    forwardQuery: link.forward_query,
    utmSource: link.utm_source,
    utmMedium: link.utm_medium,
    utmCampaign: link.utm_campaign,
    utmTerm: link.utm_term,
    utmContent: link.utm_content,
    createdAt: link.created_at,
    updatedAt: link.created_at,
  };
}

function showDestination(row: DestinationInsert, verdicts: Verdicts): DestinationView {
  return {
    type: row.type,
    value: row.value,
    // Only web addresses are scanned; other destinations count as clean.
    threatTypes: row.url_hash === null ? [] : (verdicts.get(row.url_hash)?.threatTypes ?? null),
    enableDeepLinking: row.enable_deep_linking,
    iosDeepLink: row.ios_deep_link,
    androidDeepLink: row.android_deep_link,
  };
}
