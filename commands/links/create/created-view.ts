import { pickPlain } from '#core/links/fields.ts';
import type { DomainRow, FolderRow } from '#db/links/references.ts';
import type { DestinationInsert, LinkInsert } from '#db/links/insert.ts';
import type { DestinationView, LinkView } from '#db/links/view.ts';
import type { Verdicts } from '#commands/threats/verdicts.ts';

/** The rows of a new link: an answer shows it from these, without reading it back. */
export interface CreatedLink {
  insert: LinkInsert;
  domain: DomainRow;
  folder: FolderRow;
}

/**
 * Whether the rows hold everything that an answer shows. They lack the names of tags, the key of a preview image, and the
 * verdicts of deep links.
 */
export function canPresentWithoutRead({ destinations, metaTags, tagIds }: LinkInsert): boolean {
  if (tagIds.length > 0 || (metaTags !== null && metaTags.imageId !== null)) return false;
  return destinations.every((row) => row.deepLinkHashes === null);
}

export function createdView({ insert: link, domain, folder }: CreatedLink, verdicts: Verdicts): LinkView {
  const { destinations, rules, qrCode, metaTags } = link;
  const main = destinations.find((row) => row.ruleId === null)!;
  const show = (row: DestinationInsert): DestinationView => showDestination(row, verdicts);
  return {
    id: link.id,
    organizationId: link.organizationId,
    domain,
    folderId: link.folderId,
    folder: { id: folder.id, name: folder.name, color: folder.color },
    slug: link.slug,
    destinationId: main.id,
    destination: show(main),
    rules: rules.map(({ position: _position, ...rule }) => ({
      ...rule,
      destination: show(destinations.find((row) => row.ruleId === rule.id)!),
    })),
    qrCodeId: link.qrCodeId,
    qrCode,
    metaTags: {
      title: metaTags?.title ?? null,
      description: metaTags?.description ?? null,
      imageId: null,
      imageKey: null,
    },
    tags: [],
    ...pickPlain(link),
    currentClicks: 0,
    lastClickedAt: null,
    hasPassword: link.passwordHash !== null,
    takenDown: null,
    // It is asked after the commit.
    framesRefused: false,
    createdAt: link.createdAt,
    updatedAt: link.createdAt,
  };
}

function showDestination(row: DestinationInsert, verdicts: Verdicts): DestinationView {
  const { type, value, enableDeepLinking, iosDeepLink, androidDeepLink, urlHash } = row;
  // Only web addresses are scanned; other destinations count as clean.
  const threatTypes = urlHash === null ? [] : (verdicts.get(urlHash)?.threatTypes ?? null);
  return { type, value, threatTypes, enableDeepLinking, iosDeepLink, androidDeepLink };
}
