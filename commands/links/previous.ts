import { isDeepStrictEqual } from 'node:util';
import { showPlain } from '#core/links/fields.ts';
import type { Site } from '#core/links/site.ts';
import type { DestinationView, LinkView } from '#db/links/view.ts';

/**
 * The fields of a link that an update has changed, by the names that answers have for them, with their earlier values; null: no
 * field changed.
 * @param isPasswordSet whether the update set or cleared the password: views hold only `hasPassword`.
 */
export function previousOf(
  before: LinkView,
  after: LinkView,
  { site, isPasswordSet }: { site: Site; isPasswordSet: boolean },
): Record<string, unknown> | null {
  const [old, current] = [fieldsOf(before, site), fieldsOf(after, site)];
  const changed = Object.entries(old).filter(
    ([name, value]) => !isDeepStrictEqual(value, current[name]) || (name === 'hasPassword' && isPasswordSet),
  );
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

function fieldsOf(link: LinkView, site: Site): Record<string, unknown> {
  const { id: domainId, domain } = link.domain;
  return {
    shortUrl: site.originUrl(domain, link.slug),
    slug: link.slug,
    domainId,
    folderId: link.folderId,
    destination: toDestination(link.destination),
    // A rule that is sent again without its id gets a new id: that alone is no change.
    rules: link.rules.map(({ priority, countries, languages, osTypes, destination }) => ({
      priority,
      countries,
      languages,
      osTypes,
      destination: toDestination(destination),
    })),
    qrCode: link.qrCode,
    metaTags: {
      title: link.metaTags.title,
      description: link.metaTags.description,
      imageId: link.metaTags.imageId,
    },
    tags: link.tags.map(({ name }) => name),
    hasPassword: link.hasPassword,
    ...showPlain(link),
  };
}

function toDestination({ type, value, enableDeepLinking, iosDeepLink, androidDeepLink }: DestinationView): object {
  return { type, value, enableDeepLinking, iosDeepLink, androidDeepLink };
}
