import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GeoipError, openGeoip } from '#adapters/geoip.ts';
import { silentLog } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { makeFolder } from '#test/support/folders.ts';
import { writeMmdb } from '#test/support/mmdb.ts';

const folder = makeFolder();

let counter = 0;
function file(networks: Record<string, unknown>, ipVersion: 4 | 6 = 6): string {
  const path = join(folder, `${(counter += 1)}.mmdb`);
  writeFileSync(path, writeMmdb(networks, ipVersion));
  return path;
}
const berlin = {
  city: { names: { de: 'Berlin', en: 'Berlin' } },
  continent: { code: 'EU', names: { en: 'Europe' } },
  country: { iso_code: 'DE', names: { en: 'Germany' } },
  subdivisions: [{ iso_code: 'BE', names: { en: 'State of Berlin' } }],
};
const flat = (country: string, state: string, city: string) => ({
  city,
  country_code: country,
  state1: state,
  state2: '',
});
const open = (paths: string[], checkEveryMs?: number) => openGeoip({ paths, log: silentLog, checkEveryMs });

describe('locations by address (4.5)', () => {
  test('locations are read from MaxMind’s City layout', async () => {
    using geoip = disposable(await open([file({ '203.0.113.0/24': berlin, '2001:db8::/32': berlin })]));
    const place = { country: 'DE', region: 'State of Berlin', city: 'Berlin', continent: 'EU' };
    expect(geoip.find('203.0.113.9')).toEqual(place);
    expect(geoip.find('2001:db8::7')).toEqual(place);
    expect(geoip.find('203.0.114.1')).toBeNull();
    expect(geoip.find('2001:db9::7')).toBeNull();
  });

  test('locations are read from the flat layout, a file for each address family, with the continent derived from the country', async () => {
    const four = file({ '198.51.100.0/25': flat('BR', 'São Paulo', 'Campinas') }, 4);
    const six = file({ '2001:db8:1::/48': flat('JP', 'Tokyo', '') });
    using geoip = disposable(await open([four, six]));
    expect(geoip.find('198.51.100.1')).toEqual({
      country: 'BR',
      region: 'São Paulo',
      city: 'Campinas',
      continent: 'SA',
    });
    expect(geoip.find('198.51.100.200')).toBeNull();
    expect(geoip.find('2001:db8:1::1')).toEqual({ country: 'JP', region: 'Tokyo', city: null, continent: 'AS' });
  });

  test.each([
    ['AQ', 'AN'],
    ['ZA', 'AF'],
    ['AU', 'OC'],
    ['US', 'NA'],
    ['XK', 'EU'],
    ['ZZ', null],
  ])('the continent of %s is %s', async (country, continent) => {
    using geoip = disposable(await open([file({ '192.0.2.0/24': { country_code: country } })]));
    expect(geoip.find('192.0.2.1')).toEqual({ country, region: null, city: null, continent });
  });

  test('broken records and invalid addresses have an unknown location', async () => {
    const path = file({ '192.0.2.0/25': 'text', '192.0.2.128/26': { country_code: 7 }, '192.0.2.192/26': ['x'] });
    using geoip = disposable(await open([path]));
    for (const address of ['192.0.2.1', '192.0.2.130', '192.0.2.200', '', 'nonsense']) {
      expect(geoip.find(address)).toBeNull();
    }
  });
});

describe('files', () => {
  test('a changed file is read again, and a broken one leaves the previous content in use', async () => {
    const path = file({ '192.0.2.0/24': flat('FR', '', 'Lyon') });
    using geoip = disposable(await open([path], 20));
    expect(geoip.find('192.0.2.1')?.city).toBe('Lyon');
    const { version } = geoip;
    writeFileSync(path, 'this is no database');
    renameSync(file({ '192.0.2.0/24': flat('FR', '', 'Nice') }), `${path}.new`);
    expect(geoip.find('192.0.2.1')?.city).toBe('Lyon');
    renameSync(`${path}.new`, path);
    await eventually(
      () => geoip.find('192.0.2.1')?.city,
      (city) => city === 'Nice',
    );
    expect(geoip.version).toBeGreaterThan(version);
  });

  test('a file that is missing or no database is refused by name', async () => {
    const broken = join(folder, 'broken.mmdb');
    writeFileSync(broken, 'nonsense');
    for (const path of [broken, join(folder, 'missing.mmdb')]) {
      await expect(open([path])).rejects.toThrow(GeoipError);
      await expect(open([path])).rejects.toThrow(path);
    }
  });
});

function disposable<T extends { close(): void }>(value: T): T & Disposable {
  return Object.assign(Object.create(value) as T, { [Symbol.dispose]: () => value.close() });
}
