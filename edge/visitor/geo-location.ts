import { cleanText, copyField } from '#core/clicks/click.ts';
import type { GeoLocation, GeoLookup } from '#core/routing/geo-location.ts';
import { createBoundedCache } from '#edge/bounded-cache.ts';

/** A place, and its four fields of a journal's line: country, region, city, continent. */
export interface VisitorLocation {
  readonly country: string | null;
  readonly fields: string;
  /** The same, without region and city. */
  readonly countryFields: string;
}

const maxPlaces = 10_000;
const maxBytes = 8 * 1_024 * 1_024;
const unknown = copyField(null);
const noFields = Array.from({ length: 4 }, () => unknown).join('\t');
const nowhere: VisitorLocation = { country: null, fields: noFields, countryFields: noFields };

/** Finds places, each address once per version of the data. Without a lookup every place is unknown. */
export function createGeoLocations(geo?: GeoLookup): (address: string) => VisitorLocation {
  if (geo === undefined) return () => nowhere;
  const cache = createBoundedCache<VisitorLocation>({
    max: maxPlaces,
    maxBytes,
    bytesOf: ({ fields, countryFields }) => 2 * (fields.length + countryFields.length),
  });
  let { version } = geo;
  return (address) => {
    if (version !== geo.version) {
      cache.clear();
      version = geo.version;
    }
    let place = cache.get(address);
    if (place === undefined) cache.set(address, (place = toKnown(geo.find(address))));
    return place;
  };
}

function toKnown(place: GeoLocation | null): VisitorLocation {
  if (place === null) return nowhere;
  const { country, region, city, continent } = place;
  const fields = [country, region, city, continent].map((value) => copyField(value === null ? null : cleanText(value)));
  const countryFields = [fields[0]!, unknown, unknown, fields[3]!].join('\t');
  return { country, fields: fields.join('\t'), countryFields };
}
