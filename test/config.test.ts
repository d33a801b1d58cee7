import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../config.ts';

const key = 'a secret key of at least 32 characters';
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'waymark-config-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function mistakesOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

test('an empty environment gives the documented defaults', () => {
  expect(loadConfig({})).toMatchObject({
    PORT: 3000,
    EDGE_PORT: 3001,
    HOST: '127.0.0.1',
    BASE_URL: 'http://localhost:3000',
    PLATFORM_DOMAIN: 'localhost:3001',
    EDGE_SCHEME: 'http',
    SERVE: 'both',
    WAYMARK_DATA_DIR: resolve('.data'),
    TEMPORAL_NAMESPACE: 'default',
    THREAT_SCAN_WAIT_MS: 1_500,
    LOG_LEVEL: 'info',
  });
});

test('what is derived follows what is set', () => {
  const config = loadConfig({ PORT: '8080', EDGE_PORT: '8081', PLATFORM_DOMAIN: 'go.example' });
  expect(config).toMatchObject({ BASE_URL: 'http://localhost:8080', EDGE_SCHEME: 'https' });
  expect(loadConfig({ EDGE_PORT: '8081' }).PLATFORM_DOMAIN).toBe('localhost:8081');
  expect(loadConfig({ PLATFORM_DOMAIN: '127.0.0.1:8081' }).EDGE_SCHEME).toBe('http');
  expect(loadConfig({ BASE_URL: 'https://api.example/' }).BASE_URL).toBe('https://api.example');
});

test('an empty value counts as unset', () => {
  expect(loadConfig({ PORT: '', DATABASE_URL: '', SECRET_KEY: '', SECRET_KEY_FILE: '' })).toEqual(loadConfig({}));
});

test('all mistakes are told at once, by name', () => {
  const mistakes = mistakesOf({
    PORT: '70000',
    EDGE_PORT: 'http',
    DATABASE_URL: 'mysql://localhost',
    LOG_LEVEL: 'loud',
    BOOTSTRAP_API_KEY: 'wm_live_short',
    TRUSTED_PROXIES: '10.0.0.0/8, nonsense',
  });
  const names = mistakes.map((mistake) => mistake.split(':')[0]);
  for (const name of ['PORT', 'EDGE_PORT', 'DATABASE_URL', 'LOG_LEVEL', 'BOOTSTRAP_API_KEY', 'TRUSTED_PROXIES']) {
    expect(names).toContain(name);
  }
});

test('a secret may come from a file', () => {
  const file = join(folder, 'secret');
  writeFileSync(file, `${key}\n`);
  expect(loadConfig({ SECRET_KEY_FILE: file }).SECRET_KEY).toEqual([key]);
});

test('a file that cannot be read, and a secret given twice, are mistakes', () => {
  expect(mistakesOf({ SECRET_KEY_FILE: join(folder, 'none') })).toEqual([
    expect.stringMatching(/^SECRET_KEY_FILE: .*ENOENT/),
  ]);
  const file = join(folder, 'twice');
  writeFileSync(file, key);
  expect(mistakesOf({ SECRET_KEY: key, SECRET_KEY_FILE: file })).toEqual([
    expect.stringMatching(/^SECRET_KEY: .*both/),
  ]);
});

test('DATABASE_URL needs a SECRET_KEY, of which there may be several', () => {
  const url = 'postgres://localhost/waymark';
  expect(mistakesOf({ DATABASE_URL: url })).toEqual(['SECRET_KEY: is required when DATABASE_URL is set']);
  expect(loadConfig({ DATABASE_URL: url, SECRET_KEY: `${key}, ${key}2` }).SECRET_KEY).toEqual([key, `${key}2`]);
  expect(mistakesOf({ SECRET_KEY: 'short' })).toEqual([expect.stringMatching(/^SECRET_KEY: .*32/)]);
});

test('name servers and addresses of the edge are addresses', () => {
  const dns = { DNS_SERVERS: '127.0.0.1:5300, [::1]:53,9.9.9.9', EDGE_ADDRESSES: '192.0.2.1,2001:db8::1' };
  expect(loadConfig({ ...dns, EDGE_HOSTNAME: 'edge.go.example' })).toMatchObject({
    DNS_SERVERS: ['127.0.0.1:5300', '[::1]:53', '9.9.9.9'],
    EDGE_ADDRESSES: ['192.0.2.1', '2001:db8::1'],
    EDGE_HOSTNAME: 'edge.go.example',
  });
  expect(loadConfig({})).toMatchObject({ DNS_SERVERS: [], EDGE_ADDRESSES: [] });
  for (const server of ['dns.example:53', '127.0.0.1:0', '127.0.0.1:65536', '::1:53', '[::1', '1.2.3']) {
    expect(mistakesOf({ DNS_SERVERS: server })).toEqual([expect.stringMatching(/^DNS_SERVERS: /)]);
  }
  expect(mistakesOf({ EDGE_ADDRESSES: 'edge.go.example' })).toHaveLength(1);
  expect(mistakesOf({ EDGE_HOSTNAME: 'https://edge.go.example' })).toHaveLength(1);
});
