import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { isApiKey } from '#core/organizations/api-key.ts';
import {
  createDemoCredentials,
  ensureSecretKeyFile,
  readDemoCredentials,
  tightenSecrets,
} from '#scripts/supervisor/secrets.ts';
import { makeFolder } from '#test/support/folders.ts';

let folder: string;
beforeEach(() => void (folder = makeFolder()));

const mode = (file: string): number => statSync(join(folder, file)).mode & 0o777;

test('the secret key is created once, long enough, and readable by its owner alone', () => {
  const file = ensureSecretKeyFile(folder);
  const key = readFileSync(file, 'utf8');
  expect(key.trim().length).toBeGreaterThanOrEqual(32);
  expect(mode('secret-key')).toBe(0o600);
  ensureSecretKeyFile(folder);
  expect(readFileSync(file, 'utf8')).toBe(key);
});

test('demo credentials are random by default, and readable by their owner alone', () => {
  expect(readDemoCredentials(folder)).toBeUndefined();
  // The remains of an interrupted start, with a wider mode.
  writeFileSync(join(folder, 'bootstrap.json.new'), '', { mode: 0o644 });
  const made = createDemoCredentials(folder, { adminEmail: 'admin@waymark.localhost' });
  expect(isApiKey(made.apiKey)).toBe(true);
  expect(made.adminPassword).toMatch(/^[0-9A-Za-z]{20}$/);
  expect(readDemoCredentials(folder)).toEqual(made);
  expect(mode('bootstrap.json')).toBe(0o600);
});

test('secret files that a copy made world-readable become private again', () => {
  for (const name of ['secret-key', 'bootstrap.json']) writeFileSync(join(folder, name), '{}', { mode: 0o644 });
  tightenSecrets(folder, console);
  expect([mode('secret-key'), mode('bootstrap.json')]).toEqual([0o600, 0o600]);
});

test('demo credentials take the values that an operator sets', () => {
  const wanted = { apiKey: `wm_live_${'a'.repeat(43)}`, adminEmail: 'me@example.com', adminPassword: 'long enough' };
  expect(createDemoCredentials(folder, wanted)).toEqual(wanted);
});
