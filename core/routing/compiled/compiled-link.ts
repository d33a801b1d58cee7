import type { DestinationType } from '#core/links/destination.ts';
import type { OsType } from '#core/links/draft.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { UtmValues } from '#core/routing/utm.ts';

/** Where a link or one of its rules leads, prepared for redirects. */
export interface CompiledDestination {
  readonly type: DestinationType;
  /** What clicks record: the address as stored; `mailto:` or `tel:` and the target otherwise. */
  readonly url: string;
  /** The Location header for a visitor whose query is not forwarded. */
  readonly location: string;
  /** Known threats at any web address that it opens; empty too where the organization lets visitors pass. */
  readonly threatTypes: readonly ThreatType[];
  /** Whether the page refuses to be shown in a frame: a cloaked link redirects then. */
  readonly refusesFrames: boolean;
  readonly enableDeepLinking: boolean;
  readonly iosDeepLink: string | null;
  readonly androidDeepLink: string | null;
}

/** A routing rule. A condition that is null holds for everyone. */
export interface CompiledRule {
  /** ISO 3166-1 alpha-2, upper-case. */
  readonly countries: readonly string[] | null;
  /** As `compileLanguages` has them. */
  readonly languages: readonly string[] | null;
  readonly osTypes: readonly OsType[] | null;
  readonly destination: CompiledDestination;
}

/** Texts and image of a link's previews; `core/files/url` builds the image's public address from `imageKey`. */
export interface CompiledMetaTags {
  readonly title: string | null;
  readonly description: string | null;
  readonly imageKey: string | null;
  /** In pixels; null where it is not known. */
  readonly imageSize?: { readonly width: number; readonly height: number } | null;
}

/** A link as the edge keeps it in memory: everything that answering a visitor takes. */
export interface CompiledLink {
  readonly id: string;
  readonly organizationId: string;
  readonly domainId: string;
  readonly folderId: string;
  readonly tagIds: readonly string[];
  readonly isActive: boolean;
  /** Whether staff took the link down. It is not active then, and the edge never sends its visitors to the domain's `fallbackUrl` (4.3). */
  readonly isTakenDown: boolean;
  /** Whether visits that bear `Sec-GPC: 1` are counted without who and where; a choice of the organization. */
  readonly honoursGpc: boolean;
  /** Unix time in milliseconds; from then on the link is expired. */
  readonly expiresAtMs: number | null;
  /** The Location header once the link is expired or its cap is used up; null: a page. */
  readonly expiredLocation: string | null;
  readonly maxClicks: number | null;
  /** Argon2id. */
  readonly passwordHash: string | null;
  /** Null: none of its destinations has known threats, or the organization lets visitors pass. */
  readonly threatPolicy: 'warn' | 'block' | null;
  readonly cloaking: boolean;
  readonly forwardQuery: boolean;
  readonly utm: UtmValues;
  readonly metaTags: CompiledMetaTags | null;
  readonly destination: CompiledDestination;
  /** In order of priority. */
  readonly rules: readonly CompiledRule[];
}

/** A domain as the edge keeps it in memory: everything that answering a visitor takes. */
export interface CompiledDomain {
  readonly id: string;
  /** Null: a platform domain. */
  readonly organizationId: string | null;
  /** Lower-case punycode. */
  readonly domain: string;
  /** The Location header for unknown slugs and the bare domain; null: a page. */
  readonly fallbackLocation: string | null;
  /** JSON text. */
  readonly appleAppSiteAssociation: string | null;
  /** JSON text. */
  readonly androidAssetLinks: string | null;
}
