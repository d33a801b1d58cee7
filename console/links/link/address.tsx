import { setUtm, utmNames } from '#core/routing/utm.ts';
import type { ShortLink } from '#console/api/types.ts';
import css from './link.module.css';

interface AddressProps {
  link: ShortLink;
  /** Default: where the link leads without its rules. */
  destination?: ShortLink['rules'][number]['destination'];
}

/** Where a link or one of its rules leads, with the campaign values that the link adds marked. */
export function Address({ link, destination = link.destination }: AddressProps) {
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = link;
  if (destination.type !== 'link') return <span className={css.address}>{destination.value}</span>;
  const values = [utmSource, utmMedium, utmCampaign, utmTerm, utmContent] as const;
  const added = new Set<string>(utmNames.filter((_name, index) => values[index] !== null));
  // The marks of the query stay where they are, and are parts of their own.
  const parts = setUtm(destination.value, values).matchAll(/[?&]|#.*|[^?&#]+/gs);
  return (
    <a className={css.address} href={destination.value} target="_blank" rel="noreferrer">
      {Array.from(parts, ({ 0: part, index }) => {
        const isAdded = added.has(part.slice(0, Math.max(0, part.indexOf('='))));
        return isAdded ? <mark key={index}>{part}</mark> : <span key={index}>{part}</span>;
      })}
    </a>
  );
}
