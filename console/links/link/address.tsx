import type { ShortLink } from '#console/api/types.ts';
import { UtmAddress } from '#console/links/utm-address.tsx';

interface AddressProps {
  link: ShortLink;
  /** Default: where the link leads without its rules. */
  destination?: ShortLink['rules'][number]['destination'];
}

/** Where a link or one of its rules leads, with the campaign values that the link adds marked. */
export function Address({ link, destination = link.destination }: AddressProps) {
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = link;
  if (destination.type !== 'link') return <span className="breaks">{destination.value}</span>;
  return (
    <a className="bare breaks" href={destination.value} target="_blank" rel="noreferrer">
      <UtmAddress address={destination.value} values={[utmSource, utmMedium, utmCampaign, utmTerm, utmContent]} />
    </a>
  );
}
