import type { ThreatType } from '#core/threats/types.ts';
import type { DomainRow } from '#db/links/references.ts';
import type { DestinationInsert, LinkInsert } from '#db/links/insert.ts';
import type { DestinationView, LinkView } from '#db/links/view.ts';
import { urlHash, type Verdicts } from '#commands/threats/verdicts.ts';

/** A link as an answer shows it. */
export type MadeLink = Omit<LinkView, 'folder'>;

/**
 * Shows a link that was made just now without reading it back.
 * @param verdicts of its destinations, as far as they are known.
 * @returns null where it has tags or a preview image, whose names are not at hand, or deep links that have verdicts of their own.
 */
export function toMadeLink(
  { link, destinations, rules, qrCode, metaTags, tagIds }: LinkInsert,
  domain: DomainRow,
  verdicts: Verdicts,
): MadeLink | null {
  if (tagIds.length > 0 || (metaTags !== null && metaTags.image_id !== null)) return null;
  if (destinations.some((row) => row.deep_link_hashes !== null)) return null;
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

/** The same link with verdicts that have come since; one that has not come leaves what was known. */
export function withVerdicts(link: MadeLink, verdicts: ReadonlyMap<string, ThreatType[] | null>): MadeLink {
  if (verdicts.size === 0) return link;
  const judge = (destination: DestinationView): DestinationView => {
    if (destination.type !== 'link') return destination;
    const found = verdicts.get(urlHash(destination.value).toString('hex')) ?? null;
    return found === null ? destination : { ...destination, threatTypes: found };
  };
  return {
    ...link,
    destination: judge(link.destination),
    rules: link.rules.map((rule) => ({ ...rule, destination: judge(rule.destination) })),
  };
}

function showDestination(row: DestinationInsert, verdicts: Verdicts): DestinationView {
  return {
    type: row.type,
    value: row.value,
    // Only web addresses are scanned: of the others it is known at once that nothing is to be found.
    threatTypes: row.url_hash === null ? [] : (verdicts.get(row.url_hash) ?? null),
    enableDeepLinking: row.enable_deep_linking,
    iosDeepLink: row.ios_deep_link,
    androidDeepLink: row.android_deep_link,
  };
}
