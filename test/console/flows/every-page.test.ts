// @module-tag process

import { beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { isNight } from '#test/support/night.ts';
import { describeFlows, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// What holds for every page, in German, whose words are the longest: enlarged text and a width of 320 pixels scroll in one direction alone, and so does a page
// that is read from right to left.

/** Paths of the console; `{link}` and the like stand for ids. */
const paths = [
  '/links',
  '/links?new=https://example.com/',
  '/links/many',
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
  '/qr-codes',
  '/utm-templates',
  '/activity',
  '/settings/organization',
  '/settings/people',
  '/settings/keys',
  '/settings/calls',
  '/settings/audit',
  '/settings/you',
  '/settings/security',
  '/settings/devices',
  '/settings/apps',
  '/connect',
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
/** Those of a day: a list, a form and a chart; by night all are looked at. */
const daily = ['/links', '/links/{link}/edit', '/stats'] as const;

/** What a page is, and how many pixels of it are beyond its edge. */
interface Look {
  path: string;
  language: string | null;
  headings: number;
  overflow: Record<string, number>;
}

describeFlows('every page of the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  let looks: Look[];

  beforeAll(async () => {
    await using visitor = await visit({ language: 'de-DE' });
    visitor.expectErrors(/40[0-4]/);
    const { call, page } = visitor;
    const destination = { type: 'link', value: 'https://example.com/speisekarte' };
    // As wide as its letters can make it.
    const slug = `speisekarte-${Date.now()}-wwwwwwwwmmmmmmmm`;
    const link = await call('POST', '/short-link', {
      destination,
      slug,
      title: 'Karte',
      tags: ['Karte'],
      maxClicks: 9,
    });
    const domain = await call('POST', '/domain', { domain: 'speisekarte.every.example' });
    const webhook = await call('POST', '/webhook', {
      url: 'https://127.0.0.1:9/',
      events: ['link.created'],
      name: 'Karte',
    });
    await stack.db.query('update users set is_staff = true where id = $1', [visitor.person.id]);
    const organization = visitor.organization.id;
    const ids: Record<string, string> = { link: link.id, domain: domain.id, webhook: webhook.id, organization };
    const devtools = await page.context().newCDPSession(page);
    // The size that people set in their browser.
    const setFontSize = (standard: number) => devtools.send('Page.setFontSizes', { fontSizes: { standard } });
    looks = [];
    for (const path of isNight ? [...paths, ...outside] : daily) {
      // 1280 pixels enlarged four times.
      await page.setViewportSize({ width: 320, height: 640 });
      await visitor.open(path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? name));
      await visitor.loaded();
      const overflow: Record<string, number> = {};
      const measure = async (name: string): Promise<void> => {
        const read = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        // A busy machine draws the page in its new size some moments later.
        await eventually(read, (pixels) => pixels <= 0).catch(() => undefined);
        overflow[name] = await read();
      };
      await measure('320 pixels');
      await page.evaluate(() => void (document.documentElement.dir = 'rtl'));
      await measure('right to left, 320 pixels');
      await page.setViewportSize({ width: 1280, height: 900 });
      await measure('right to left');
      await page.evaluate(() => void (document.documentElement.dir = 'ltr'));
      await setFontSize(32);
      await measure('text of 200 %');
      await setFontSize(16);
      const headings = await page.getByRole('heading', { level: 1 }).count();
      looks.push({ path, overflow, headings, language: await page.locator('html').getAttribute('lang') });
    }
  });

  test('is in the language of the browser', () => {
    expect(looks.filter(({ language }) => language !== 'de')).toEqual([]);
  });

  test('scrolls in one direction alone: at 320 pixels, with text of twice the size, and read from right to left', () => {
    const wide = looks.flatMap(({ path, overflow }) =>
      Object.entries(overflow)
        .filter(([, pixels]) => pixels > 0)
        .map(([how, pixels]) => `${path}: ${pixels} pixels, ${how}`),
    );
    expect(wide).toEqual([]);
  });

  test('has one heading of the first level', () => {
    expect(looks.filter(({ headings }) => headings !== 1).map(({ path, headings }) => `${path}: ${headings}`)).toEqual(
      [],
    );
  });
});
