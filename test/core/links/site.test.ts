import { describe, expect, test } from 'vitest';
import { createSite } from '#core/links/site.ts';

test('an address is recognised as ours with and without the default port of its scheme', () => {
  const site = createSite({ scheme: 'https', platformDomain: 'go.example:443' });
  expect(site.originUrl('go.example', 'ä')).toBe('https://go.example:443/%C3%A4');
  for (const url of ['https://go.example:443/x', 'https://go.example/x', 'https://GO.example./x/']) {
    expect(site.parse(url)).toEqual({ host: 'go.example', slug: 'x' });
  }
  for (const url of ['https://go.example:3001/x', 'https://go.example/x/y', 'https://go.example/']) {
    expect(site.parse(url)).toBeUndefined();
  }
});

test('a web address counts for each address that the edge looks it up under', () => {
  const site = createSite({ scheme: 'https', platformDomain: 'go.example' });
  const slugsOf = (path: string) => site.candidatesOf(`https://go.example${path}`).map(({ slug }) => slug);
  expect(site.candidatesOf('https://go.example/x')).toEqual([
    { host: 'go.example', slug: 'x' },
    { host: 'go.example', slug: '' },
  ]);
  for (const path of ['/x)', '/x.', '/x>', '/x/)', '/x&a', '/x%26a', '/x%3Fa', '/x%20', '/x%22', '/x%E2%80%8B'])
    expect([path, slugsOf(path).slice(-2)]).toEqual([path, ['x', '']]);
  expect(slugsOf('/x.')).toEqual(['x.', 'x', '']);
  // The host alone, and paths that are no slug: the domain's fallback.
  for (const path of ['', '/', '/?x', '//', '/a/b', '/%ff']) expect([path, slugsOf(path)]).toEqual([path, ['']]);
  expect(slugsOf('/.well-known/security.txt')).toEqual([]);
  expect(site.candidatesOf('https://go.example:3001/x')).toEqual([]);
});

describe('a platform domain that begins with localhost', () => {
  const local = createSite({
    scheme: 'http',
    platformDomain: 'localhost:3001',
    platformAddress: '192.168.1.7',
    isOwnAddress: (host) => ['127.0.0.1', '192.168.1.7', '[::1]'].includes(host),
  });

  test('is served for addresses of this machine (4.1), also where a destination leads to one', () => {
    expect(['127.0.0.1', '192.168.1.7', '[::1]', 'localhost'].map(local.servedHost)).toEqual(
      Array.from({ length: 4 }, () => 'localhost'),
    );
    expect(['192.168.1.8', 'go.example'].map(local.servedHost)).toEqual(['192.168.1.8', 'go.example']);
    expect(local.parse('http://[::1]:3001/x')).toEqual({ host: 'localhost', slug: 'x' });
    expect(local.parse('http://127.0.0.1:3000/x')).toBeUndefined();
    const onIt = ['http://localhost:3000/', 'http://localhost.:3001/', 'http://127.0.0.1:3001/'];
    expect(onIt.filter((url) => !local.isOn(url, 'localhost'))).toEqual([]);
    const elsewhere = ['http://127.0.0.1:3000/', 'http://go.example:3001/', 'mailto:a@localhost'];
    expect(elsewhere.filter((url) => local.isOn(url, 'localhost'))).toEqual([]);
  });

  test('is shown as the address by which other machines reach it; custom domains stay as they are', () => {
    expect(local.shownDomain).toBe('192.168.1.7:3001');
    expect(local.originUrl('localhost', 'x')).toBe('http://192.168.1.7:3001/x');
    expect(local.originUrl('go.example', 'x')).toBe('http://go.example:3001/x');
    const six = createSite({ scheme: 'http', platformDomain: 'localhost:3001', platformAddress: 'fd00::7' });
    expect(six.originUrl('localhost', 'x')).toBe('http://[fd00::7]:3001/x');
  });
});

test('any other platform domain has no second address', () => {
  const platformDomain = 'go.example';
  const site = createSite({
    scheme: 'https',
    platformDomain,
    platformAddress: '192.168.1.7',
    isOwnAddress: () => true,
  });
  expect(site.servedHost('127.0.0.1')).toBe('127.0.0.1');
  expect(site.originUrl('go.example', 'x')).toBe('https://go.example/x');
});
