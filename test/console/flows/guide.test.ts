// @module-tag process
// @module-tag nightly

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import { describeFlows, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// Pictures of docs/console.md, whose pages have flows of their own beside this file: copy them from dist/screenshots/guide to docs/images/console after the pages have changed.
const folder = join(root, 'dist', 'screenshots', 'guide');
const hour = 3_600_000;

const campaigns = [
  { slug: 'spring', title: 'Spring catalogue', path: '/catalogue/spring', tags: ['print', 'spring'], share: 34 },
  { slug: 'menu', title: 'Menu on the tables', path: '/menu', tags: ['print'], share: 25 },
  { slug: 'jobs', title: 'Jobs', path: '/about/jobs', tags: ['social'], share: 14 },
  { slug: 'webinar', title: 'Webinar in December', path: '/events/webinar', tags: ['social', 'mail'], share: 11 },
  { slug: 'returns', title: 'How to send things back', path: '/help/returns', tags: ['mail'], share: 9 },
  { slug: 'summer', title: 'Summer sale', path: '/sale/summer', tags: ['summer'], share: 7, isActive: false },
];
const places = [
  ['DE', 'EU', 'Berlin'],
  ['DE', 'EU', 'Hamburg'],
  ['US', 'NA', 'New York'],
  ['FR', 'EU', 'Paris'],
  ['DE', 'EU', 'Köln'],
  ['BR', 'SA', 'São Paulo'],
  ['IN', 'AS', 'Mumbai'],
  ['GB', 'EU', 'London'],
  ['JP', 'AS', 'Tokyo'],
  ['AT', 'EU', 'Wien'],
] as const;
const systems = [
  ['iOS', 'mobile', 'Safari'],
  ['Android', 'mobile', 'Chrome'],
  ['Windows', 'desktop', 'Edge'],
  ['macOS', 'desktop', 'Safari'],
] as const;
const referers = [undefined, 'news.example', 'search.example', undefined, 'blog.example'] as const;

/** The one of some things that is a number's turn. */
function at<T>(things: readonly T[], turn: number): T {
  return things.at(turn % things.length) as T;
}

describeFlows('the guide of the console', () => {
  const stack = useConsoleStack();
  afterAll(() => stack.receivers.stop());
  const visit = useVisitors(stack);

  /** Fills an organization as one looks after some weeks. */
  async function fill({ call, organization }: Visitor): Promise<Map<string, string>> {
    const spring = await call('POST', '/folder', { name: 'Spring 2027', color: '#16A34A' });
    const colors = { print: '#2563EB', spring: '#16A34A', social: '#DB2777', mail: '#D97706', summer: '#7C3AED' };
    for (const [name, color] of Object.entries(colors)) await call('POST', '/tag', { name, color });
    const ids = new Map<string, string>();
    for (const { slug, title, path, tags, share, isActive = true } of campaigns) {
      const link = await call('POST', '/short-link', {
        destination: { type: 'link', value: `https://www.example.com${path}` },
        slug,
        title,
        tags,
        isActive,
        ...(slug === 'spring'
          ? {
              folderId: spring.id,
              expiresAt: '2027-05-31T21:59:00Z',
              utmSource: 'print',
              utmCampaign: 'spring-2027',
              metaTags: { title: 'Spring catalogue', description: 'All that is new for the garden' },
            }
          : {}),
        ...(slug === 'webinar' ? { maxClicks: 500 } : {}),
      });
      ids.set(slug, link.id);
      // Spread by a rule, not by chance: the pictures of two runs are alike.
      const clicks = Array.from({ length: share * 12 }, (_unused, index) => {
        const [country, continent, city] = at(places, index * index);
        const [os, device, browser] = at(systems, index + share);
        return testClick({
          organizationId: organization.id,
          linkId: link.id,
          domainId: link.domainId,
          folderId: link.folderId,
          clickedAtMs: Date.now() - (((index * 37) % 166) + 1) * hour,
          country,
          continent,
          city,
          os,
          device,
          browser,
          referer: at(referers, index),
          lang: country === 'DE' ? 'de' : 'en',
          isQrCode: index % 6 === 0,
          visitor: ((index * 7) % (share * 9)).toString(16).padStart(32, '0'),
        });
      });
      await ingestClicks(stack.db, clicks);
    }
    return ids;
  }

  test('has pictures of a filled organization', async () => {
    mkdirSync(folder, { recursive: true });
    await using visitor = await visit();
    const { page } = visitor;
    await page.setViewportSize({ width: 1280, height: 800 });
    const ids = await fill(visitor);
    const spring = ids.get('spring')!;
    const take = async (name: string): Promise<void> => {
      // The pointer marks nothing.
      await page.mouse.move(0, 0);
      const picture = await page.screenshot();
      await sharp(picture)
        .png({ palette: true, quality: 90, effort: 10 })
        .toFile(join(folder, `${name}.png`));
    };

    await visitor.open('/links');
    await page.getByText('Spring catalogue').waitFor();
    expect(await page.locator('[data-link]').count()).toBe(campaigns.length);
    await take('links');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await take('links-phone');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });

    await visitor.open(`/links/${spring}/edit`);
    await visitor.click('button', 'Rules');
    await visitor.click('button', 'Add a rule');
    await page.getByRole('checkbox', { name: 'iOS' }).focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Leads to').fill('https://www.example.com/app');
    await page
      .getByRole('row', { name: /iPhone in Germany/ })
      .getByText('https://www.example.com/app')
      .waitFor();
    await take('editor');

    await visitor.open(`/links/${spring}/qr`);
    // Which trials a code passes depends on its port.
    await page.getByText(/^(?:Scans|Not read): /).waitFor();
    await take('qr-code');

    await visitor.open(`/links/${spring}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Everyone', { exact: true }).waitFor();
    await page.locator('article img').first().waitFor();
    await take('link');

    await visitor.open('/stats?period=week');
    await page.getByRole('region', { name: 'Cities' }).getByText('Berlin').waitFor();
    await take('statistics');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await take('statistics-phone');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });

    const { id: domainId, domain, txtRecord } = await visitor.call('POST', '/domain', { domain: 'go.example.com' });
    stack.dns.set('example.com', { isZone: true });
    stack.dns.set(`_waymark.${domain}.example.com`, { TXT: [txtRecord] });
    stack.dns.set(domain, { A: ['198.51.100.7'] });
    await visitor.open(`/domains/${domainId}`);
    await visitor.click('button', 'Check now');
    await page.getByText('An old A record leads elsewhere. Remove it.').waitFor();
    await take('domain');

    const port = await stack.receivers.https((request, response) => {
      request.resume();
      response.writeHead(503, { 'content-type': 'text/plain' }).end('closed for stocktaking');
    });
    const hook = { url: `https://127.0.0.1:${port}/waymark`, events: ['link.created'], name: 'Warehouse' };
    const { id: webhookId } = await visitor.call('POST', '/webhook', hook);
    await visitor.call('POST', `/webhook/${webhookId}/test`, { type: 'link.created' });
    await visitor.open(`/webhooks/${webhookId}`);
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('link').first().click();
    await page.getByText('The server answered 503', { exact: false }).first().waitFor();
    await take('delivery');

    await visitor.open('/links');
    await page.getByText('Spring catalogue').waitFor();
    const rows = ['ticket', 'opening-hours', 'garden', 'winter', 'map'].map((slug, index) => {
      const address = index === 3 ? 'example.com winter' : `https://www.example.com/${slug}`;
      return `https://bit.ly/${slug},${address},${slug},print`;
    });
    await visitor.drop('bitly.csv', ['link,long_url,title,tags', ...rows].join('\n'));
    await page.getByText('4 rows become links').waitFor();
    await take('import');

    const { id: organizationId } = visitor.organization;
    await stack.db.query('update users set is_staff = true where id = $1', [visitor.person.id]);
    await stack.db.query(`update organizations set name = 'Example Ltd' where id = $1`, [organizationId]);
    await visitor.open(`/staff/organizations/${organizationId}`);
    await page.getByRole('heading', { name: 'Example Ltd' }).waitFor();
    await visitor.loaded();
    await take('staff');
  });
});
