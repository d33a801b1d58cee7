import { toLocalInput } from '#console/ui/browser/local-input.ts';
import type { ShortLink } from '#console/api/types.ts';
import type { OsType } from '#core/links/draft.ts';
import { destinationOf, withScheme } from './destination/destination.ts';

// What the editor edits: texts as they stand in its fields. Bodies of calls are made from it.

/** The five UTM parameters. */
export const utmNames = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const;
export type UtmName = (typeof utmNames)[number];

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
export interface Draft extends Record<UtmName, string> {
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
  title: string;
  externalId: string;
  notes: string;
  /** Local date and time as inputs write it; empty: no end. */
  expiresAt: string;
  expiredUrl: string;
  /** Empty: no cap. */
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

/** A draft without content. */
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
    title: '',
    externalId: '',
    notes: '',
    utmSource: '',
    utmMedium: '',
    utmCampaign: '',
    utmTerm: '',
    utmContent: '',
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

/** The draft of a link as it is. */
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
    title: text(link.title),
    externalId: text(link.externalId),
    notes: text(link.notes),
    utmSource: text(link.utmSource),
    utmMedium: text(link.utmMedium),
    utmCampaign: text(link.utmCampaign),
    utmTerm: text(link.utmTerm),
    utmContent: text(link.utmContent),
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
  return { destination: bodyParts.destination(draft), ...changedParts(emptyDraft(), draft) };
}

/** The body of `PATCH /short-link/{id}`: only the fields that differ. */
export function patchOf(before: Draft, after: Draft): Record<string, unknown> {
  return changedParts(before, after);
}

/** What a draft sends at a dotted path of the API's body, as JSON; where nothing stands there, what stands around it. */
export function valueAt(draft: Draft, path: string): string | undefined {
  const [name, ...steps] = path.split('.');
  let value: unknown =
    name !== undefined && name in bodyParts ? bodyParts[name as keyof typeof bodyParts](draft) : null;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !(step in value)) break;
    value = (value as Record<string, unknown>)[step];
  }
  return JSON.stringify(value);
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

// A member of the API's body by the draft; members are compared as they are sent.
const bodyParts = {
  destination: (draft: Draft) => ({
    ...destinationOf(draft.destination),
    ...(draft.enableDeepLinking
      ? {
          enableDeepLinking: true,
          iosDeepLink: orNull(draft.iosDeepLink),
          androidDeepLink: orNull(draft.androidDeepLink),
        }
      : {}),
  }),
  domain: ({ domain }: Draft) => (domain === '' ? undefined : domain),
  slug: ({ slug }: Draft) => (slug.trim() === '' ? undefined : slug.trim()),
  folderId: ({ folderId }: Draft) => (folderId === '' ? undefined : folderId),
  tags: ({ tags }: Draft) => tags,
  title: ({ title }: Draft) => orNull(title),
  externalId: ({ externalId }: Draft) => orNull(externalId),
  notes: ({ notes }: Draft) => orNull(notes),
  utmSource: ({ utmSource }: Draft) => orNull(utmSource),
  utmMedium: ({ utmMedium }: Draft) => orNull(utmMedium),
  utmCampaign: ({ utmCampaign }: Draft) => orNull(utmCampaign),
  utmTerm: ({ utmTerm }: Draft) => orNull(utmTerm),
  utmContent: ({ utmContent }: Draft) => orNull(utmContent),
  expiresAt: ({ expiresAt }: Draft) => (expiresAt === '' ? null : new Date(expiresAt).toISOString()),
  expiredUrl: ({ expiredUrl }: Draft) => orNull(withScheme(expiredUrl.trim())),
  maxClicks: ({ maxClicks }: Draft) => (maxClicks.trim() === '' ? null : numberOr(maxClicks.trim())),
  password: ({ password }: Draft) => password,
  isActive: ({ isActive }: Draft) => isActive,
  cloaking: ({ cloaking }: Draft) => cloaking,
  forwardQuery: ({ forwardQuery }: Draft) => forwardQuery,
  rules: ({ rules }: Draft) =>
    rules.map((rule, priority) => ({
      ...(rule.id === undefined ? {} : { id: rule.id }),
      priority,
      countries: listOrNull(rule.countries),
      languages: listOrNull(rule.languages),
      osTypes: listOrNull(rule.osTypes),
      destination: destinationOf(rule.destination),
    })),
  metaTags: ({ metaTitle, metaDescription, metaImageId }: Draft) => ({
    title: orNull(metaTitle),
    description: orNull(metaDescription),
    imageId: metaImageId,
  }),
  qrCode: ({ qrCode }: Draft) => qrCode,
} as const satisfies Record<string, (draft: Draft) => unknown>;

/** A number; a text that is none stays, so that the API says so at its field. */
function numberOr(text: string): number | string {
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function changedParts(before: Draft, after: Draft): Record<string, unknown> {
  const parts: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(bodyParts)) {
    const value = part(after);
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(part(before))) parts[name] = value;
  }
  return parts;
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
