import type { CompiledDestination, CompiledDomain, CompiledLink } from '#core/routing/compiled-link.ts';

/** Estimates of the memory that values take, in bytes: rather too high than too low. Called once for each value read. */

// Objects and heads of strings of a link without rules and meta tags: 700 bytes measured on Node 24.
const linkBytes = 800;
const ruleBytes = 400;
// Conditions of up to 31 rules (`RuleIndex`), and each value that they name.
const indexBytes = 800;
const indexedValueBytes = 50;
const domainBytes = 400;
const idBytes = 56;

const beyondLatin1 = /[^\0-\u00ff]/;

/** Estimated bytes of a compiled link. */
export function sizeOfLink(link: CompiledLink): number {
  let bytes = linkBytes + sizeOfText(link.expiredLocation) + sizeOfText(link.passwordHash);
  bytes += sizeOfDestination(link.destination) + link.tagIds.length * 8;
  for (const value of link.utm) bytes += sizeOfText(value);
  const { metaTags } = link;
  if (metaTags !== null) {
    bytes += sizeOfText(metaTags.title) + sizeOfText(metaTags.description) + sizeOfText(metaTags.imageKey);
  }
  for (const { osTypes, countries, languages } of link.ruleIndex ?? []) {
    const values = osTypes.byValue.size + countries.byValue.size + languages.byValue.size;
    bytes += indexBytes + values * indexedValueBytes;
  }
  for (const { countries, languages, osTypes, destination } of link.rules) {
    bytes += ruleBytes + sizeOfDestination(destination);
    bytes += ((countries?.length ?? 0) + (languages?.length ?? 0) + (osTypes?.length ?? 0)) * (idBytes / 2);
  }
  return bytes;
}

/** Estimated bytes of a compiled domain. */
export function sizeOfDomain(domain: CompiledDomain): number {
  return (
    domainBytes +
    sizeOfText(domain.domain) +
    sizeOfText(domain.fallbackLocation) +
    sizeOfText(domain.appleAppSiteAssociation) +
    sizeOfText(domain.androidAssetLinks)
  );
}

function sizeOfDestination({ url, location, iosDeepLink, androidDeepLink }: CompiledDestination): number {
  // One string where the address needed no change.
  const ofLocation = location === url ? 0 : sizeOfText(location);
  return sizeOfText(url) + ofLocation + sizeOfText(iosDeepLink) + sizeOfText(androidDeepLink);
}

function sizeOfText(text: string | null): number {
  if (text === null) return 0;
  return beyondLatin1.test(text) ? 2 * text.length : text.length;
}
