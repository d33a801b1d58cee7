import type { Decision } from '#core/routing/decide.ts';
import type { LinkPreview } from '#console/api/links/link-preview.ts';

/** What a network learns of a link. */
export interface CardContent {
  title: string;
  description: string;
  /** A picture that is its own (an id of a file), one of the destination (an address), or none. */
  image: { fileId: string } | { url: string } | null;
  host: string;
  /**
   * Where it comes from: the link's own card, the page that it leads to, that page which is not read yet or tells nothing, or the
   * edge's page in its place, which tells nothing of either.
   */
  source: 'own' | 'destination' | 'unread' | 'hidden';
}

/**
 * What networks show for an answer of the edge to a preview builder.
 * @param shortHost host of the short link.
 * @param page what the destination tells, where it was read.
 */
export function contentOf(decision: Decision, shortHost: string, page: LinkPreview | undefined): CardContent {
  const host = (url: string): string => URL.parse(url)?.host ?? url;
  switch (decision.kind) {
    case 'preview': {
      const { title, description, imageKey } = decision.metaTags;
      return {
        title: title ?? host(decision.location),
        description: description ?? '',
        image: imageKey === null ? null : { fileId: imageKey },
        host: shortHost,
        source: 'own',
      };
    }
    case 'cloak':
      return { title: decision.title, description: '', image: null, host: shortHost, source: 'own' };
    case 'redirect':
    case 'deepLink':
    case 'elsewhere': {
      const isRead = page !== undefined && page.problem === null;
      const end = isRead ? page.finalUrl : decision.location;
      return {
        title: (isRead ? page.title : null) ?? host(end),
        description: (isRead ? page.description : null) ?? '',
        image: isRead && page.image !== null ? { url: page.image } : null,
        host: host(end),
        source: isRead ? 'destination' : 'unread',
      };
    }
    default:
      return { title: shortHost, description: '', image: null, host: shortHost, source: 'hidden' };
  }
}
