// @module-tag process

import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { createTestEdge, browser as userAgent, type TestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

// Folder of screenshots of the pages, for a look by a developer.
const { WAYMARK_SCREENSHOTS: pictures } = process.env;
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
const phone = { width: 320, height: 568 };
const desktop = { width: 1_280, height: 720 };

// A page with a script and a form, which reports the features that it may use.
const appPage = `<title>App</title><p id="script"></p><form action="/sent"><input name="q" value="1"><button>Send</button></form>
<a id="out" target="_blank" href="/popup">out</a>
<script>
document.cookie = 'seen=1; path=/';
localStorage.setItem('seen', '1');
const allows = (feature) => document.featurePolicy.allowsFeature(feature);
document.getElementById('script').textContent = JSON.stringify({
  storage: localStorage.getItem('seen'), origin: self.origin,
  payment: allows('payment'), clipboard: allows('clipboard-write') || allows('clipboard-read'), fullscreen: allows('fullscreen'),
});
try { top.location.href = '/hijacked'; } catch {}
</script>`;

describe.skipIf(!hasBrowser)('pages in a browser', () => {
  let edge: TestEdge;
  let browser: Browser;
  let destination: Server;
  let there: string;

  beforeAll(async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
    destination = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/app') return void response.end(appPage);
      if (request.url === '/moved') response.writeHead(302, { location: there.replace('there.', 'www.there.') });
      response.end('<title>There</title><p id="arrived">arrived</p>');
    });
    await new Promise<void>((resolve) => destination.listen(0, '127.0.0.1', resolve));
    there = `http://there.example:${(destination.address() as AddressInfo).port}/`;
    [edge, browser] = await Promise.all([createTestEdge({ notFoundPerMinute: 1 }), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await edge[Symbol.asyncDispose]();
    destination.close();
  });

  const urlOf = (slug: string): string => `http://${edge.domain.domain}:${new URL(edge.address).port}/${slug}`;

  /** Opens pages as a visitor; what the browser complains of gathers in `complaints`. */
  async function visitor(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ userAgent, locale: 'en', ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && /Security Policy|refused/i.test(message.text()))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, complaints };
  }

  /** Takes out what makes a page go on by itself. */
  async function holdStill(page: Page, slug: string, headers: Record<string, string>): Promise<void> {
    const answer = await edge.visit(`/${slug}`, { headers });
    const body = answer.body.replace(/<script>.*<\/script>/s, '');
    await page.route(urlOf(slug), (route) =>
      route.fulfill({
        status: answer.status,
        headers: { ...(answer.headers as Record<string, string>), 'content-length': `${Buffer.byteLength(body)}` },
        body,
      }),
    );
  }

  test('a password: wrong, then right, then the destination on another host (4.7)', async () => {
    const passwordHash = await hash('open sesame', { memoryCost: 64, timeCost: 1, parallelism: 1 });
    const link = await edge.link({ passwordHash, destination: { value: there } });
    const { page, complaints } = await visitor();
    await page.goto(urlOf(link.slug));
    await page.getByLabel('Password').fill('open barley');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('open sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.waitForURL(there);
    // The cookie is sent again, so there is no second question.
    await page.goto(urlOf(link.slug));
    expect(page.url()).toBe(there);
    expect(complaints).toEqual([]);
    await eventually(
      () => edge.clicks(link.id),
      ({ length }) => length === 2,
    );
  });

  test('a cloaked destination fills the window, redirects of its own included (4.8)', async () => {
    const { slug } = await edge.link({ cloaking: true, destination: { value: `${there}moved` } });
    const { page, complaints } = await visitor({ viewport: desktop });
    await page.goto(urlOf(slug));
    await page.frameLocator('iframe').locator('#arrived').waitFor();
    expect(await page.locator('iframe').boundingBox()).toEqual({ x: 0, y: 0, ...desktop });
    expect(await page.title()).toBe(new URL(there).host);
    expect(page.url()).toBe(urlOf(slug));
    expect(complaints).toEqual([]);
  });

  test('a cloaked page works with scripts, storage and forms, and neither pays, copies nor takes the visitor away (4.8)', async () => {
    const { slug } = await edge.link({ cloaking: true, destination: { value: `${there}app` } });
    const { page } = await visitor({ viewport: desktop });
    await page.goto(urlOf(slug));
    const frame = page.frameLocator('iframe');
    await frame.locator('#script').filter({ hasText: '{' }).waitFor();
    expect(JSON.parse((await frame.locator('#script').textContent())!)).toEqual({
      storage: '1',
      origin: new URL(there).origin,
      payment: false,
      clipboard: false,
      fullscreen: true,
    });
    const [popup] = await Promise.all([page.waitForEvent('popup'), frame.locator('#out').click()]);
    await popup.locator('#arrived').waitFor();
    // A page that the visitor opened from there is held to nothing.
    expect(await popup.evaluate(`document.featurePolicy.allowsFeature('clipboard-write')`)).toBe(true);
    await frame.getByRole('button', { name: 'Send' }).click();
    await frame.locator('#arrived').waitFor();
    expect(page.url()).toBe(urlOf(slug));
  });

  test('without the app a deep link ends at the destination, with scripts and without (4.11)', async () => {
    const { slug } = await edge.link({ destination: { value: there, iosDeepLink: 'waymark-test-app://open?a=1&b=2' } });
    for (const javaScriptEnabled of [true, false]) {
      const { page, complaints } = await visitor({ userAgent: iphone, viewport: phone, javaScriptEnabled });
      await page.goto(urlOf(slug));
      await page.waitForURL(there);
      expect(complaints).toEqual([]);
    }
  });

  test('all of them fit a phone and a desktop, light and dark, in English and German', async () => {
    const passwordHash = await hash('x', { memoryCost: 64, timeCost: 1, parallelism: 1 });
    const guarded = await edge.link({ passwordHash });
    const expired = await edge.link({ expiresAt: new Date(0) });
    const app = await edge.link({ destination: { value: there, iosDeepLink: 'waymark-test-app://x' } });
    const told = await edge.link({
      destination: { value: there },
      metaTags: {
        title: 'A title that is rather long, with Donaudampfschifffahrtsgesellschaft',
        description: 'About it.',
      },
    });
    const shown: [name: string, slug: string, agent: string][] = [
      ['bare', '', userAgent],
      ['password', guarded.slug, userAgent],
      ['gone', expired.slug, userAgent],
      ['deep-link', app.slug, iphone],
      ['preview', told.slug, 'WhatsApp/2.23.20.0 A'],
      ['not-found', 'unknown', userAgent],
      ['too-many', 'unknown', userAgent],
    ];
    for (const [viewport, colorScheme, locale] of [
      [phone, 'light', 'en'],
      [phone, 'dark', 'de'],
      [desktop, 'dark', 'en'],
      [desktop, 'light', 'de'],
    ] as const) {
      for (const [name, slug, agent] of shown) {
        const { page, complaints } = await visitor({ viewport, colorScheme, locale, userAgent: agent });
        if (name === 'deep-link') await holdStill(page, slug, { 'user-agent': agent, 'accept-language': locale });
        await page.goto(urlOf(slug));
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width, `${name} on ${viewport.width}`).toBeLessThanOrEqual(viewport.width);
        expect(await page.locator('html').getAttribute('lang')).toBe(locale);
        const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(ground).toBe(colorScheme === 'dark' ? 'rgb(17, 17, 19)' : 'rgb(252, 252, 253)');
        if (pictures !== undefined) {
          const file = `${name}-${viewport.width}-${colorScheme}-${locale}.png`;
          await page.screenshot({ path: join(pictures, file), animations: 'disabled' });
        }
        expect(complaints).toEqual([]);
        await page.context().close();
      }
    }
  });
});
