import { isDeepStrictEqual } from 'node:util';
import type { FieldChanges } from '#core/links/change.ts';
import { showPlain } from '#core/links/fields.ts';
import type { Site } from '#core/links/site.ts';
import type { DestinationView, LinkView } from '#db/links/view.ts';

/**
 * The fields of a link that an update has changed, by the names that answers have for them; null: no field changed.
 * @param before of `fieldsOf`. @param after the same, changed.
 * @param isPasswordSet whether the update set or cleared the password: views hold only `hasPassword`.
 */
export function changedFields(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  { isPasswordSet }: { isPasswordSet: boolean },
): FieldChanges | null {
  const changed = Object.entries(before).filter(
    ([name, value]) => !isDeepStrictEqual(value, after[name]) || (name === 'hasPassword' && isPasswordSet),
  );
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map(([name, value]) => [name, { before: value, after: after[name] }]));
}

/** The earlier values of fields, as `link.updated` shows them. */
export function previousOf(fields: FieldChanges): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, { before }]) => [name, before]));
}

/** The fields of a link whose changes are told: by the names that answers have for them, with tags by their names. */
export function fieldsOf(link: LinkView, site: Site): Record<string, unknown> {
  const { id: domainId, domain } = link.domain;
  return {
    shortUrl: site.originUrl(domain, link.slug),
    slug: link.slug,
    domainId,
    folderId: link.folderId,
    destination: showDestination(link.destination),
    // A rule that is sent again without its id gets a new id: that alone is no change.
    rules: link.rules.map(({ priority, countries, languages, osTypes, destination }) => ({
      priority,
      countries,
      languages,
      osTypes,
      destination: showDestination(destination),
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

export function showDestination({
  type,
  value,
  enableDeepLinking,
  iosDeepLink,
  androidDeepLink,
}: Omit<DestinationView, 'threatTypes'>): object {
  return { type, value, enableDeepLinking, iosDeepLink, androidDeepLink };
}
