import { cleanText, copyField } from '#core/clicks/click.ts';
import type { GeoLocation, GeoLookup } from '#core/routing/geo-location.ts';
import { copyText } from '#core/lib/copy-text.ts';
import { LRUCache } from 'lru-cache';

/** A visitor's country, and the four fields of a journal's line: country, region, city, continent. */
interface VisitorLocation {
  readonly country: string | null;
  readonly fields: string;
  /** `fields` without region and city. */
  readonly countryFields: string;
}

const maxLocations = 10_000;
const unknown = copyField(null);
const noFields = Array.from({ length: 4 }, () => unknown).join('\t');
const nowhere: VisitorLocation = { country: null, fields: noFields, countryFields: noFields };

/** Locates addresses through a cache, which a new version of the data empties. Without a lookup every location is unknown. */
export function createGeoLocations(geo?: GeoLookup): (address: string) => VisitorLocation {
  if (geo === undefined) return () => nowhere;
  const cache = new LRUCache<string, VisitorLocation>({ max: maxLocations });
  let { version } = geo;
  return (address) => {
    if (version !== geo.version) {
      cache.clear();
      version = geo.version;
    }
    let location = cache.get(address);
    if (location === undefined) cache.set(copyText(address), (location = toVisitorLocation(geo.find(address))));
    return location;
  };
}

function toVisitorLocation(location: GeoLocation | null): VisitorLocation {
  if (location === null) return nowhere;
  const { country, region, city, continent } = location;
  const fields = [country, region, city, continent].map((value) => copyField(value === null ? null : cleanText(value)));
  const countryFields = [fields[0]!, unknown, unknown, fields[3]!].join('\t');
  return { country, fields: fields.join('\t'), countryFields };
}
