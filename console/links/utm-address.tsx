import { setUtm, utmNames, type UtmValues } from '#core/routing/utm.ts';

/** A web address with the UTM values that a link adds, which are marked. */
export function UtmAddress({ address, values }: { address: string; values: UtmValues }) {
  const added = new Set<string>(utmNames.filter((_name, index) => values[index] !== null));
  const parts = setUtm(address, values).matchAll(/[?&]|#.*|[^?&#]+/gs);
  return [...parts].map(({ 0: part, index: start }) => {
    const isAdded = added.has(part.slice(0, Math.max(0, part.indexOf('='))));
    return isAdded ? <mark key={start}>{part}</mark> : <span key={start}>{part}</span>;
  });
}
