import { cleanText, copyField } from '#core/clicks/click.ts';
import type { GeoLookup, Place } from '#core/routing/geo-location.ts';
import { createClockMap } from '#edge/bounded-cache.ts';

/** A place, and its four fields of a journal's line: country, region, city, continent. */
export interface KnownPlace {
  readonly country: string | null;
  readonly fields: string;
  /** The same, without region and city. */
  readonly countryFields: string;
}

const maxPlaces = 10_000;
const maxBytes = 8 * 1_024 * 1_024;
const unknown = copyField(null);
const noFields = Array.from({ length: 4 }, () => unknown).join('\t');
const nowhere: KnownPlace = { country: null, fields: noFields, countryFields: noFields };

/** Finds places, each address once per version of the data. Without a lookup every place is unknown. */
export function createPlaces(geo?: GeoLookup): (address: string) => KnownPlace {
  if (geo === undefined) return () => nowhere;
  const cache = createClockMap<KnownPlace>({
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

function toKnown(place: Place | null): KnownPlace {
  if (place === null) return nowhere;
  const { country, region, city, continent } = place;
  const fields = [country, region, city, continent].map((value) => copyField(value === null ? null : cleanText(value)));
  const countryFields = [fields[0]!, unknown, unknown, fields[3]!].join('\t');
  return { country, fields: fields.join('\t'), countryFields };
}
