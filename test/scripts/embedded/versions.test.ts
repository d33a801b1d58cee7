import { beforeEach, expect, test } from 'vitest';
import { checkVersions, compareVersions, readVersions, stampVersions } from '#scripts/embedded/versions.ts';
import { makeFolder } from '#test/support/folders.ts';

let folder: string;
beforeEach(() => void (folder = makeFolder()));

const current = { waymark: '0.1.0', postgres: '18', temporal: '1.29.1' };

test('a new data folder, the same versions and newer versions are accepted', () => {
  checkVersions(folder, current);
  stampVersions(folder, current);
  checkVersions(folder, current);
  expect(() => checkVersions(folder, { waymark: '0.2.0', postgres: '18', temporal: '1.31.0' })).not.toThrow();
});

test('another PostgreSQL major version, an older Waymark and an older Temporal are refused by name', () => {
  stampVersions(folder, current);
  expect(() => checkVersions(folder, { postgres: '19' })).toThrow(/PostgreSQL 18.*19/);
  expect(() => checkVersions(folder, { waymark: '0.0.9' })).toThrow(/Waymark 0\.1\.0.*0\.0\.9/);
  expect(() => checkVersions(folder, { temporal: '1.28.0' })).toThrow(/Temporal server 1\.29\.1.*1\.28\.0/);
});

test('a version stamp keeps the versions that an update does not name', () => {
  stampVersions(folder, current);
  stampVersions(folder, { waymark: '0.2.0', temporal: undefined });
  expect(readVersions(folder)).toEqual({ ...current, waymark: '0.2.0' });
});

test('versions are ordered by number', () => {
  expect(compareVersions('1.9.0', '1.10.0')).toBeLessThan(0);
  expect(compareVersions('2.0.0', '1.31.2')).toBeGreaterThan(0);
  expect(compareVersions('1.29.1', '1.29.1')).toBe(0);
});
