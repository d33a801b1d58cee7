import { numberOf } from '#console/i18n/number-text.ts';
import { toLocalInput } from '#console/ui/browser/local-input.ts';
import type { ShortLink } from '#console/api/types.ts';
import type { OsType } from '#core/links/draft.ts';
import { destinationOf, withScheme } from './destination/destination.ts';

// What the editor edits: texts as they stand in its fields. Bodies of calls are made from it.

export const utmNames = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const;
export type UtmName = (typeof utmNames)[number];

// Fields that are texts in the API too, which has null for an empty one.
const textNames = ['title', 'externalId', 'notes', ...utmNames] as const;
type TextName = (typeof textNames)[number];

/** A value for each field that is a text in the API too. */
function textsOf<T>(valueOf: (name: TextName) => T): Record<TextName, T> {
  return Object.fromEntries(textNames.map((name) => [name, valueOf(name)])) as Record<TextName, T>;
}

/** A rule as it is edited; `key` tells rules apart while they move. */
export interface RuleDraft {
  key: string;
  id: string | undefined;
  countries: readonly string[];
  languages: readonly string[];
  osTypes: readonly OsType[];
  destination: string;
}

/** A link as it is edited. */
export interface Draft extends Record<TextName, string> {
  destination: string;
  enableDeepLinking: boolean;
  iosDeepLink: string;
  androidDeepLink: string;
  /** Name of the domain; empty: the primary one. */
  domain: string;
  slug: string;
  /** Empty: the default folder. */
  folderId: string;
  tags: readonly string[];
  /** Local date and time as inputs write it; empty: no end. */
  expiresAt: string;
  expiredUrl: string;
  /** In plain digits, where it is a number; empty: no cap. */
  maxClicks: string;
  /** Undefined: as it is; null: none; a text: the new one. */
  password: string | null | undefined;
  isActive: boolean;
  cloaking: boolean;
  forwardQuery: boolean;
  rules: readonly RuleDraft[];
  metaTitle: string;
  metaDescription: string;
  metaImageId: string | null;
  qrCode: ShortLink['qrCode'];
}

export function emptyDraft(destination = ''): Draft {
  return {
    destination,
    enableDeepLinking: false,
    iosDeepLink: '',
    androidDeepLink: '',
    domain: '',
    slug: '',
    folderId: '',
    tags: [],
    ...textsOf(() => ''),
    expiresAt: '',
    expiredUrl: '',
    maxClicks: '',
    password: undefined,
    isActive: true,
    cloaking: false,
    forwardQuery: false,
    rules: [],
    metaTitle: '',
    metaDescription: '',
    metaImageId: null,
    qrCode: null,
  };
}

export function draftOf(link: ShortLink): Draft {
  const text = (value: string | null): string => value ?? '';
  const { destination, metaTags } = link;
  return {
    destination: shownDestination(destination),
    enableDeepLinking: destination.enableDeepLinking,
    iosDeepLink: text(destination.iosDeepLink),
    androidDeepLink: text(destination.androidDeepLink),
    domain: link.domain.domain,
    slug: link.slug,
    folderId: link.folderId,
    tags: link.tags.map(({ name }) => name),
    ...textsOf((name) => text(link[name])),
    expiresAt: link.expiresAt === null ? '' : toLocalInput(new Date(link.expiresAt)),
    expiredUrl: text(link.expiredUrl),
    maxClicks: link.maxClicks === null ? '' : String(link.maxClicks),
    password: undefined,
    isActive: link.isActive,
    cloaking: link.cloaking,
    forwardQuery: link.forwardQuery,
    rules: link.rules.map((rule) => ({
      key: rule.id,
      id: rule.id,
      countries: rule.countries ?? [],
      languages: rule.languages ?? [],
      osTypes: rule.osTypes ?? [],
      destination: shownDestination(rule.destination),
    })),
    metaTitle: text(metaTags.title),
    metaDescription: text(metaTags.description),
    metaImageId: metaTags.imageId,
    qrCode: link.qrCode,
  };
}

/** The draft of a copy: everything but what only one link can have. */
export function copyOf(link: ShortLink): Draft {
  const rules = draftOf(link).rules.map((rule) => ({ ...rule, id: undefined }));
  return { ...draftOf(link), slug: '', externalId: '', rules };
}

/** The body of `POST /short-link`: only what differs from an empty draft. */
export function bodyOf(draft: Draft): Record<string, unknown> {
  return { destination: fieldsOf(draft).destination, ...patchOf(emptyDraft(), draft) };
}

/** The body of `PATCH /short-link/{id}`: only the fields that differ. */
export function patchOf(before: Draft, after: Draft): Record<string, unknown> {
  const had: Readonly<Record<string, unknown>> = fieldsOf(before);
  return Object.fromEntries(
    Object.entries(fieldsOf(after)).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(had[name]),
    ),
  );
}

/** What a draft sends at a dotted path of the API's body, as JSON; where nothing stands there, what stands around it. */
export function valueAt(draft: Draft, path: string): string | undefined {
  const [name = '', ...steps] = path.split('.');
  const fields: Readonly<Record<string, unknown>> = fieldsOf(draft);
  let value = fields[name];
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !(step in value)) break;
    value = (value as Record<string, unknown>)[step];
  }
  return JSON.stringify(value);
}

/** Whether messages by path are what is left of earlier ones, since their fields were corrected. */
export function areLeftOf(issues: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): boolean {
  const paths = Object.keys(issues);
  return paths.length < Object.keys(before).length && paths.every((path) => path in before);
}

const orNull = (text: string): string | null => text.trim() || null;

/** A draft as the body of the API's create. A field that is undefined is not sent: the API takes its default. */
export function fieldsOf(draft: Draft) {
  const { tags, password, isActive, cloaking, forwardQuery, qrCode, enableDeepLinking } = draft;
  const app = { iosDeepLink: orNull(draft.iosDeepLink), androidDeepLink: orNull(draft.androidDeepLink) };
  return {
    destination: { ...destinationOf(draft.destination), ...(enableDeepLinking ? { enableDeepLinking, ...app } : {}) },
    domain: draft.domain || undefined,
    slug: draft.slug.trim() || undefined,
    folderId: draft.folderId || undefined,
    tags,
    ...textsOf((name) => orNull(draft[name])),
    expiresAt: draft.expiresAt === '' ? null : new Date(draft.expiresAt).toISOString(),
    expiredUrl: orNull(withScheme(draft.expiredUrl.trim())),
    // A text that is no number stays, so that the API says so at its field.
    maxClicks: draft.maxClicks.trim() === '' ? null : (numberOf(draft.maxClicks) ?? draft.maxClicks),
    password,
    isActive,
    cloaking,
    forwardQuery,
    rules: draft.rules.map(({ id, countries, languages, osTypes, destination }, priority) => ({
      id,
      priority,
      countries: listOrNull(countries),
      languages: listOrNull(languages),
      osTypes: listOrNull(osTypes),
      destination: destinationOf(destination),
    })),
    metaTags: {
      title: orNull(draft.metaTitle),
      description: orNull(draft.metaDescription),
      imageId: draft.metaImageId,
    },
    qrCode,
  };
}

/** A list of a draft as the API takes it: an empty one sets no condition. */
export function listOrNull<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}

/** A destination as it is typed. */
function shownDestination({ type, value }: { type: string; value: string }): string {
  if (type === 'mail') return `mailto:${value}`;
  return type === 'phone' ? `tel:${value}` : value;
}
