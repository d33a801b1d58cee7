import type { DestinationDraft } from '#core/links/destination.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { CompiledDestination, CompiledLink, CompiledMetaTags } from './compiled-link.ts';
import { toLocation, toMailto } from '#core/routing/location.ts';
import { noUtm, setUtm, type UtmValues } from '#core/routing/utm.ts';

// What the stored links of `db/links/visits/compiled.ts` and the drafts of `compile-draft.ts` are both compiled with.

/** What scans found about a destination. */
interface Findings {
  threatTypes: readonly ThreatType[];
  refusesFrames: boolean;
}

/** Prepares a destination for redirects. @param utm of its link. */
export function compileDestination(
  { type, value, enableDeepLinking, iosDeepLink, androidDeepLink }: DestinationDraft,
  utm: UtmValues,
  { threatTypes, refusesFrames }: Findings,
): CompiledDestination {
  const url = type === 'link' ? value : type === 'mail' ? toMailto(value) : `tel:${value}`;
  return {
    type,
    url,
    // The same string in memory, unless UTM parameters are added.
    location: toLocation(type === 'link' ? setUtm(value, utm) : url),
    threatTypes,
    refusesFrames,
    enableDeepLinking,
    iosDeepLink,
    androidDeepLink,
  };
}

/** UTM values by the positions of `utmNames`. Most links have none, and share one list of them. */
export function compileUtm(values: readonly (string | null)[]): UtmValues {
  return values.every((value) => value === null) ? noUtm : (values as unknown as UtmValues);
}

/** Null where all are empty: empty tags would hide the destination's own from crawlers. */
export function compileMetaTags(metaTags: CompiledMetaTags): CompiledMetaTags | null {
  const { title, description, imageKey } = metaTags;
  return title || description || imageKey ? metaTags : null;
}

/** What the organization's policy comes to for one link. @param isFlagged whether one of its destinations has known threats. */
export function compileThreatPolicy(policy: ThreatPolicy, isFlagged: boolean): CompiledLink['threatPolicy'] {
  return isFlagged && policy !== 'pass' ? policy : null;
}
