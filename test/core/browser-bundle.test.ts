import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readDomainName } from '#core/domains/name.ts';
import { toLocation } from '#core/routing/location.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { bundleForBrowser } from '#test/support/browser-bundle.ts';
import type * as ConsoleModules from '#test/support/console-modules.ts';

const kilobyte = 1_000;

const domainId = '0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c11';
const visitor = { query: '', country: null, language: null, osType: 'ios', isBot: false, isPreviewer: false } as const;
const domain = {
  id: '',
  organizationId: null,
  domain: 'go.example',
  fallbackLocation: null,
  appleAppSiteAssociation: null,
  androidAssetLinks: null,
};

/** Runs a bundle with the globals that it needs of a browser: neither `Buffer` nor `process` is among them. */
function runLikeBrowser(code: string): typeof ConsoleModules {
  const web = { URL, TextDecoder, TextEncoder };
  return runInNewContext(`${code}; bundle`, web) as typeof ConsoleModules;
}

describe('what the console takes of core', () => {
  it('runs without Node, in at most 55 kB gzip', async () => {
    const { code, gzipBytes } = await bundleForBrowser('test/support/console-modules.ts');
    console.log(`Drafts, decisions and imports: ${(gzipBytes / kilobyte).toFixed(1)} kB gzip`);
    expect(gzipBytes).toBeLessThan(55 * kilobyte);
    const core = runLikeBrowser(code);

    const destination = {
      type: 'link',
      value: 'https://müller.example/',
      androidDeepLink: 'intent://x#Intent;S.browser_fallback_url=https%3A%2F%2Fexample.com%2F;scheme=app;end',
    };
    const parsed = core.createLinkSchema.safeParse({ slug: 'sale', destination, utmSource: 'mail' });
    expect(parsed.data).toMatchObject({ slug: 'sale', utmSource: 'mail' });
    const link = core.compileDraft(parsed.data!);
    expect(core.findHiddenRules(link.rules)).toEqual([]);
    expect(core.explain({ domain, link, visitor, nowMs: Date.now() }).decision).toMatchObject({
      kind: 'redirect',
      location: 'https://xn--mller-kva.example/?utm_source=mail',
    });
    const refused = core.createLinkSchema.safeParse({ slug: 'a b', destination: { type: 'link', value: 'ftp://x' } });
    expect(core.toIssues(refused.error?.issues ?? []).issues).toEqual([
      { path: 'destination.value', message: 'must be an http or https URL' },
      { path: 'slug', message: 'may hold letters, digits, emoji and - _ . ~ only' },
    ]);
    expect(core.patchDomainSchema.safeParse({ appleAppSiteAssociation: { applinks: {} } }).success).toBe(true);
    expect(core.readDomainName('GRÜSSE.de')).toEqual({ domain: 'xn--grsse-lva.de' });
    expect(core.readDomainName('xn--a.com').problem).toBeDefined();
    expect(core.toLocation('https://müller.example/')).toBe('https://xn--mller-kva.example/');
    const read = core.createRowReader('csv', ['slug', 'url']);
    const row = read(['sale', 'https://example.com/']);
    expect(row.body).toMatchObject({ slug: 'sale' });
    expect(core.checkRow(row, { domainId, folderId: undefined })).toMatchObject({ slug: 'sale', domainId });
    expect(core.readMapping('csv', ['slug', 'url', 'note'])).toEqual(['slug', 'destination', 'ignored']);
    expect(core.findSeparator('slug;url\n').separator).toBe(';');
  });

  it('is refused with a module of Node', async () => {
    await expect(bundleForBrowser('core/links/slugs/generate-slug.ts')).rejects.toThrow('node:crypto');
  });
});

declare const bundle: typeof ConsoleModules;

it.runIf(hasBrowser)('host names are read in a browser as in Node', { tags: ['process', 'slow'] }, async () => {
  // Not among them: a joiner alone, which Chromium takes for a label and Node does not. The API has the last word.
  const names = [
    'GRÜSSE.de',
    'faß.de',
    '例え.テスト',
    'xn--a.com',
    'xn--mnchen-3ya.de',
    '☃.net',
    'ａ.example',
    'a\u00adb.example',
    'İ.example',
    '\ud800.example',
    '256.1.1.1',
    '1.2.3.4',
    'a..b',
    'a_b.example',
  ];
  const urls = names.map((name) => `https://${name}:8443/ü`);
  const { code } = await bundleForBrowser('test/support/console-modules.ts');
  await using browser = await startBrowser();
  const page = await browser.newPage();
  await page.addScriptTag({ content: code });
  const read = await page.evaluate((texts) => texts.map((text) => bundle.readDomainName(text)), names);
  expect(read).toEqual(names.map((name) => readDomainName(name)));
  const locations = await page.evaluate((texts) => texts.map((text) => bundle.toLocation(text)), urls);
  expect(locations).toEqual(urls.map((url) => toLocation(url)));
});
