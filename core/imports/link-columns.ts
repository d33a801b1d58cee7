import type { DestinationType } from '#core/links/destination.ts';

/**
 * The columns of an export of links, in order. Nested values are JSON, as a create takes them; tags are joined by `|`, or JSON
 * where a name holds a separator. No column holds a password.
 */
export const linkColumns = [
  'originUrl',
  'domain',
  'slug',
  'destinationType',
  'destination',
  'title',
  'folder',
  'tags',
  'externalId',
  'isActive',
  'expiresAt',
  'expiredUrl',
  'maxClicks',
  'currentClicks',
  'hasPassword',
  'cloaking',
  'forwardQuery',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'enableDeepLinking',
  'iosDeepLink',
  'androidDeepLink',
  'metaTitle',
  'metaDescription',
  'metaImageId',
  'rules',
  'qrCode',
  'id',
  'createdAt',
  'updatedAt',
] as const;

type LinkColumn = (typeof linkColumns)[number];

interface ExportedDestination {
  type: DestinationType;
  value: string;
  enableDeepLinking: boolean;
  iosDeepLink: string | null;
  androidDeepLink: string | null;
}

/** The fields of a link that an export holds. */
interface ExportedLink {
  id: string;
  domain: { domain: string };
  slug: string;
  destination: ExportedDestination;
  rules: readonly {
    priority: number;
    countries: readonly string[] | null;
    languages: readonly string[] | null;
    osTypes: readonly string[] | null;
    destination: ExportedDestination;
  }[];
  qrCode: object | null;
  metaTags: { title: string | null; description: string | null; imageId: string | null };
  folder: { name: string };
  tags: readonly { name: string }[];
  title: string | null;
  externalId: string | null;
  isActive: boolean;
  expiresAt: Date | null;
  expiredUrl: string | null;
  maxClicks: number | null;
  currentClicks: number;
  hasPassword: boolean;
  cloaking: boolean;
  forwardQuery: boolean;
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
  utmTerm: string | null;
  utmContent: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A link's fields, in the order of `linkColumns`. @param originUrl its short URL. */
export function toLinkFields(link: ExportedLink, originUrl: string): (string | null)[] {
  const { destination, metaTags, maxClicks } = link;
  const fields: Record<LinkColumn, string | null> = {
    ...pick(link, ['title', 'externalId', 'expiredUrl', 'slug', 'id']),
    ...pick(link, ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent']),
    ...pick(destination, ['iosDeepLink', 'androidDeepLink']),
    originUrl,
    domain: link.domain.domain,
    destinationType: destination.type,
    destination: destination.value,
    folder: link.folder.name,
    tags: joinTags(link.tags.map(({ name }) => name)),
    isActive: String(link.isActive),
    expiresAt: link.expiresAt?.toISOString() ?? null,
    maxClicks: maxClicks === null ? null : String(maxClicks),
    currentClicks: String(link.currentClicks),
    hasPassword: String(link.hasPassword),
    cloaking: String(link.cloaking),
    forwardQuery: String(link.forwardQuery),
    enableDeepLinking: String(destination.enableDeepLinking),
    metaTitle: metaTags.title,
    metaDescription: metaTags.description,
    metaImageId: metaTags.imageId,
    rules: link.rules.length === 0 ? null : JSON.stringify(link.rules.map(toRule)),
    qrCode: link.qrCode === null ? null : JSON.stringify(link.qrCode),
    createdAt: link.createdAt.toISOString(),
    updatedAt: link.updatedAt.toISOString(),
  };
  return linkColumns.map((column) => fields[column]);
}

function pick<T, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

function toRule({ priority, countries, languages, osTypes, destination }: ExportedLink['rules'][number]): object {
  const { type, value, enableDeepLinking, iosDeepLink, androidDeepLink } = destination;
  return {
    priority,
    countries,
    languages,
    osTypes,
    destination: { type, value, enableDeepLinking, iosDeepLink, androidDeepLink },
  };
}

function joinTags(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return names.some((name) => /[|,[]/.test(name)) ? JSON.stringify(names) : names.join('|');
}

/** Divides a list of tags: JSON, or names separated by `|` or commas. */
export function splitTags(text: string): string[] {
  if (text.startsWith('[')) {
    try {
      const names: unknown = JSON.parse(text);
      if (Array.isArray(names)) return names.map(String);
    } catch {
      // No JSON: a name that begins with a bracket.
    }
  }
  return text
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
