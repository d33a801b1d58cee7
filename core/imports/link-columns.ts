import type { DestinationDraft } from '#core/links/destination.ts';
import { isObject } from '#core/lib/is-object.ts';
import { type PlainName, plainNames, type PlainValues, writePlain } from '#core/links/fields.ts';

// Programs may read columns by position: a column of a release keeps its place, and a new plain field comes last.
const placed = [
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

type LinkColumn = (typeof placed)[number] | PlainName;

/**
 * The columns of an export of links, in order. Nested values are JSON, as a create takes them; tags are joined by `|`, or JSON
 * where an import would read other names from that. No column holds a password.
 */
export const linkColumns: readonly LinkColumn[] = [...new Set<LinkColumn>([...placed, ...plainNames])];

/** The fields of a link that an export holds. */
interface ExportedLink extends PlainValues {
  id: string;
  domain: { domain: string };
  slug: string;
  destination: DestinationDraft;
  rules: readonly {
    priority: number;
    countries: readonly string[] | null;
    languages: readonly string[] | null;
    osTypes: readonly string[] | null;
    destination: DestinationDraft;
  }[];
  qrCode: object | null;
  metaTags: { title: string | null; description: string | null; imageId: string | null };
  folder: { name: string };
  tags: readonly { name: string }[];
  currentClicks: number;
  hasPassword: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** A link's fields, in the order of `linkColumns`. @param originUrl its short URL. */
export function toLinkFields(link: ExportedLink, originUrl: string): (string | null)[] {
  const { destination, metaTags } = link;
  const fields: Record<LinkColumn, string | null> = {
    ...writePlain(link),
    slug: link.slug,
    id: link.id,
    originUrl,
    domain: link.domain.domain,
    destinationType: destination.type,
    destination: destination.value,
    folder: link.folder.name,
    tags: joinTags(link.tags.map(({ name }) => name)),
    currentClicks: String(link.currentClicks),
    hasPassword: String(link.hasPassword),
    enableDeepLinking: String(destination.enableDeepLinking),
    iosDeepLink: destination.iosDeepLink,
    androidDeepLink: destination.androidDeepLink,
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

/** The names of tags in one field, as `splitTags` reads them; null: none. */
export function joinTags(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const joined = names.join('|');
  // A name may hold a separator, or begin as JSON does.
  const read = splitTags(joined) ?? [];
  const isReadBack = read.length === names.length && names.every((name, index) => name === read[index]);
  return isReadBack ? joined : JSON.stringify(names);
}

// Lists of Python and PostgreSQL, and JSON that is cut off; "[draft]" alone is a name.
const isOtherList = /^[[{]\s*["'{[]|^[[{].*[|,].*[\]}]$/s;

/**
 * Divides a list of tags: names separated by `|` or commas, or JSON of names or of objects with one.
 * @returns undefined where it is a list in another form.
 */
export function splitTags(text: string): string[] | undefined {
  if (/^[[{]/.test(text)) {
    try {
      const names = [JSON.parse(text)].flat().map(nameOfTag);
      return names.every((name) => name !== undefined) ? names : undefined;
    } catch {
      if (isOtherList.test(text)) return undefined;
    }
  }
  return text
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function nameOfTag(tag: unknown): string | undefined {
  if (typeof tag === 'number') return String(tag);
  const { name, title } = isObject(tag)
    ? (tag as { name?: unknown; title?: unknown })
    : { name: tag, title: undefined };
  return [name, title].find((one) => typeof one === 'string');
}
