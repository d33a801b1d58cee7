// @module-tag process

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '#test/support/browser.ts';
import { eventually } from '#test/support/eventually.ts';
import { useVisitors } from '#test/console/support/browser.ts';
import { useOwnConsoleStack } from '#test/console/support/stack.ts';

// What holds for every page: German is whole, enlarged text and a width of 320 pixels scroll in one direction alone, and so does a page
// that is read from right to left.

/** Paths of the console; `{link}` and the like stand for ids. */
const paths = [
  '/links',
  '/links?new=https://example.com/',
  '/links/{link}',
  '/links/{link}/edit',
  '/links/{link}/qr',
  '/links/{link}/history',
  '/stats',
  '/stats/live',
  '/stats/clicks',
  '/domains',
  '/domains/{domain}',
  '/webhooks',
  '/webhooks/{webhook}',
  '/imports',
  '/imports/new',
  '/folders',
  '/tags',
  '/files',
  '/utm-templates',
  '/activity',
  '/settings/organization',
  '/settings/people',
  '/settings/keys',
  '/settings/audit',
  '/settings/you',
  '/settings/security',
  '/settings/devices',
  '/staff',
  '/staff/organizations',
  '/staff/organizations/{organization}',
  '/staff/people',
  '/staff/links',
  '/staff/files',
  '/staff/domains',
  '/staff/webhooks',
  '/staff/processes',
  '/staff/reports',
  '/staff/audit',
] as const;
const outside = ['/sign-in', '/forgot', '/join', '/reset', '/deleted', '/nowhere'] as const;

/** Texts that are the same in both languages: names, formats, terms of the field. */
const shared =
  /^(?:[\d\s.,:%/–—·+×-]*|.*(?:example\.com|localhost|127\.0\.0\.1|https?:).*|Waymark.*|[A-Z]{2,}.*|[\d.,]+ (?:px|s|ms|min|h|kB|byte)|Test key|Organization \d+|.*\.every\.example)$/;

/** Sentences on a page: texts of at least three words, and names of its controls. */
const readTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      // Code, keys, and names of countries and time zones are the same everywhere.
      if (parentElement === null || parentElement.closest('pre, code, kbd, option, script, style, noscript') !== null)
        continue;
      texts.push((textContent ?? '').trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      for (const name of ['aria-label', 'placeholder', 'title']) texts.push(element.getAttribute(name)?.trim() ?? '');
    }
    return [...new Set(texts.filter((text) => text.split(/\s+/).length >= 2))];
  });

/** What a page shows, and how many pixels of it are beyond its edge. */
interface Look {
  path: string;
  language: string | null;
  texts: string[];
  headings: number;
  overflow: Record<string, number>;
}

describe.skipIf(!hasBrowser)('every page of the console', () => {
  const stack = useOwnConsoleStack();
  const visit = useVisitors(stack);
  let english: Look[];
  let german: Look[];

  /** Looks at all pages in a language. @param word names things of the organization, so that two of them have nothing in common. */
  async function lookAround(language: string, word: string): Promise<Look[]> {
    await using visitor = await visit({ language });
    visitor.expectErrors(/40[0-4]/);
    const { call, page } = visitor;
    const destination = { type: 'link', value: `https://example.com/${word}` };
    // As wide as its letters can make it.
    const slug = `${word}-wwwwwwwwmmmmmmmm`;
    const link = await call('POST', '/short-link', { destination, slug, title: word, tags: [word], maxClicks: 9 });
    const domain = await call('POST', '/domain', { domain: `${word}.every.example` });
    const webhook = await call('POST', '/webhook', {
      url: 'https://127.0.0.1:9/',
      events: ['link.created'],
      name: word,
    });
    await stack.db.query('update users set is_staff = true where id = $1', [visitor.person.id]);
    const organization = visitor.organization.id;
    const ids: Record<string, string> = { link: link.id, domain: domain.id, webhook: webhook.id, organization };
    const devtools = await page.context().newCDPSession(page);
    // The size that people set in their browser.
    const setFontSize = (standard: number) => devtools.send('Page.setFontSizes', { fontSizes: { standard } });
    const looks: Look[] = [];
    for (const path of [...paths, ...outside]) {
      await visitor.open(path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? name));
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      const texts = await readTexts(page);
      const overflow: Record<string, number> = {};
      const measure = async (name: string): Promise<void> => {
        const read = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        // A busy machine draws the page in its new size some moments later.
        await eventually(read, (pixels) => pixels <= 0, 3_000).catch(() => undefined);
        overflow[name] = await read();
      };
      // 1280 pixels enlarged four times.
      await page.setViewportSize({ width: 320, height: 640 });
      await measure('320 pixels');
      await page.setViewportSize({ width: 1280, height: 900 });
      await setFontSize(32);
      await measure('text of 200 %');
      await setFontSize(16);
      await page.evaluate(() => void (document.documentElement.dir = 'rtl'));
      await measure('right to left');
      await page.setViewportSize({ width: 360, height: 740 });
      await measure('right to left, narrow');
      await page.setViewportSize({ width: 1440, height: 900 });
      const headings = await page.getByRole('heading', { level: 1 }).count();
      looks.push({ path, texts, overflow, headings, language: await page.locator('html').getAttribute('lang') });
    }
    return looks;
  }

  beforeAll(async () => {
    [english, german] = await Promise.all([lookAround('en-US', 'catalogue'), lookAround('de-DE', 'speisekarte')]);
  }, 180_000);

  test('is in the language of the browser, and German shows no sentence of the English one', () => {
    expect(new Set(english.map(({ language }) => language))).toEqual(new Set(['en']));
    expect(new Set(german.map(({ language }) => language))).toEqual(new Set(['de']));
    const untranslated = english.flatMap(({ path, texts }, index) => {
      const others = new Set(german[index]?.texts);
      return texts.filter((text) => others.has(text) && !shared.test(text)).map((text) => `${path}: ${text}`);
    });
    expect(untranslated).toEqual([]);
  });

  test('scrolls in one direction alone: at 320 pixels, with text of twice the size, and read from right to left', () => {
    const wide = [...english, ...german].flatMap(({ path, language, overflow }) =>
      Object.entries(overflow)
        .filter(([, pixels]) => pixels > 0)
        .map(([how, pixels]) => `${path} (${language}): ${pixels} pixels, ${how}`),
    );
    expect(wide).toEqual([]);
  });

  test('has one heading of the first level', () => {
    expect(german.filter(({ headings }) => headings !== 1).map(({ path, headings }) => `${path}: ${headings}`)).toEqual(
      [],
    );
  });
});
