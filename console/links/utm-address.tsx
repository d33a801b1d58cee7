import { setUtm, utmNames, type UtmValues } from '#core/routing/utm.ts';

/** A web address with the UTM values that a link adds, which are marked. */
export function UtmAddress({ address, values }: { address: string; values: UtmValues }) {
  const added = new Set<string>(utmNames.filter((_name, index) => values[index] !== null));
  // Split at the marks of the query, which stay where they are.
  const parts = setUtm(address, values).split(/(?<=[?&])|(?=[&#])/);
  return parts.map((part, index) => {
    const isAdded = added.has(part.slice(0, Math.max(0, part.indexOf('='))));
    // oxlint-disable-next-line react/no-array-index-key -- parts of one address have no other name
    return isAdded ? <mark key={index}>{part}</mark> : <span key={index}>{part}</span>;
  });
}
