import { isIPv6 } from 'node:net';
import { continents, countries } from 'countries-list';
import { Reader } from 'mmdb-lib';
import type { Logger } from 'pino';
import { openRereadFile } from './machine/reread-file.ts';
import type { GeoLocation, GeoLookup } from '#core/routing/geo-location.ts';

export class GeoipError extends Error {
  constructor(path: string, cause: unknown) {
    super(`GEOIP_DB: ${path} cannot be read: ${(cause as Error).message}`, { cause });
    this.name = 'GeoipError';
  }
}

interface GeoipOptions {
  /** Files in MaxMind's format; the first one that knows an address's country is used. */
  paths: readonly string[];
  log: Pick<Logger, 'info' | 'warn'>;
  /** How often files are checked for changes. */
  checkEveryMs?: number;
}

/**
 * Opens GeoIP databases, in MaxMind's City layout or the flat one of DB-IP's npm package. A changed file is read again;
 * while that fails, its previous content stays in use.
 * @throws (rejects) GeoipError when one cannot be read.
 */
export async function openGeoip({
  paths,
  log,
  checkEveryMs = 10_000,
}: GeoipOptions): Promise<GeoLookup & { close(): void }> {
  let version = 1;
  const files = await Promise.all(
    paths.map((path) =>
      openRereadFile({
        path,
        parse: (bytes) => new Reader<never>(bytes),
        onReread() {
          version += 1;
          log.info({ path }, 'a GeoIP database was read again');
        },
        onUnreadable: (error) =>
          log.warn({ err: error, path }, 'a GeoIP database cannot be read; the earlier one stays in use'),
      }).catch((error: unknown) => {
        throw new GeoipError(path, error);
      }),
    ),
  );
  const timer = setInterval(() => {
    for (const file of files) void file.check();
  }, checkEveryMs);
  timer.unref();

  return {
    get version() {
      return version;
    },
    find(address) {
      for (const { content: reader } of files) {
        if (reader.metadata.ipVersion === 4 && isIPv6(address)) continue;
        const location = toLocation(look(reader, address));
        if (location !== null) return location;
      }
      return null;
    },
    /** Stops checking the files for changes. */
    close: () => clearInterval(timer),
  };
}

function look(reader: Reader<never>, address: string): unknown {
  try {
    return reader.get(address);
  } catch {
    // An invalid address or a broken record: the location is unknown.
    return null;
  }
}

/** Location of a record of either layout; null where the record has no country. */
function toLocation(record: unknown): GeoLocation | null {
  const country = (text(record, 'country_code') ?? text(record, 'country', 'iso_code'))?.toUpperCase();
  if (country === undefined || !/^[A-Z]{2}$/.test(country)) return null;
  const continent = text(record, 'continent', 'code') ?? continentOf(country);
  return {
    country,
    region: text(record, 'state1') ?? text(record, 'subdivisions', '0', 'names', 'en') ?? null,
    city: text(record, 'city') ?? text(record, 'city', 'names', 'en') ?? null,
    continent: continent !== null && continent in continents ? continent : null,
  };
}

function continentOf(country: string): string | null {
  return country in countries ? countries[country as keyof typeof countries].continent : null;
}

/** Non-empty text at a path of keys; undefined where the record has none. */
function text(record: unknown, ...path: readonly string[]): string | undefined {
  let value = record;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'string' && value !== '' ? value : undefined;
}
