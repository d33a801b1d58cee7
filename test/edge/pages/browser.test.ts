// @module-tag process

import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { createTestEdge, browser as userAgent, type TestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

// Folder of screenshots of the pages, for a look by a developer.
const { WAYMARK_SCREENSHOTS: pictures } = process.env;
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
const small = { width: 320, height: 568 };
const phone = { width: 360, height: 740 };
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

// Contrasts of a page as WCAG 2.2 demands them: texts 4.5:1 (1.4.3), borders of what can be operated 3:1 (1.4.11).
const measureContrasts = `(() => {
  const parts = (color) => color.match(/[0-9.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = parts(color).map((value) => (value / 255 <= 0.04045 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return parts(color)[3] === 0 ? groundOf(element.parentElement) : color;
  };
  const ratioOf = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const all = [...document.querySelectorAll('h1, h2, p, label, legend, input, textarea, select, button, a, summary')];
  return all.filter((element) => element.offsetParent !== null).flatMap((element) => {
    const style = getComputedStyle(element);
    const what = element.tagName + ' ' + (element.id || element.textContent.slice(0, 30));
    const text = { what, ratio: ratioOf(style.color, groundOf(element)), least: 4.5 };
    if (parseFloat(style.borderTopWidth) === 0) return [text];
    return [text, { what: 'border of ' + what, ratio: ratioOf(style.borderTopColor, groundOf(element.parentElement)), least: 3 }];
  });
})()`;
const contrastsOf = (page: Page): Promise<{ what: string; ratio: number; least: number }[]> =>
  page.evaluate(measureContrasts);

/** The rules of axe that a page breaks, with the elements that break them. */
async function brokenRules(page: Page): Promise<string[]> {
  // Not by a script element: the pages' policy forbids it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

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
      if (request.url === '/open') {
        const any = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' };
        return void response.writeHead(200, any).end('read');
      }
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

  test('a password: wrong, then right, then the destination on another host (4.7)', async () => {
    const passwordHash = await hash('open sesame', { memoryCost: 64, timeCost: 1, parallelism: 1 });
    const link = await edge.link({ passwordHash, destination: { value: there } });
    const { page, complaints } = await visitor();
    await page.goto(urlOf(link.slug));
    expect(await page.title()).toBe('Protected link');
    await page.locator('#password').fill('open barley');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.title()).toBe('Wrong password · Protected link');
    const field = page.getByRole('textbox', { name: 'Password' });
    await field.fill('open sesame');
    const show = page.getByRole('button', { name: 'Show password' });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await show.getAttribute('aria-pressed')).toBe('true');
    expect(await field.getAttribute('type')).toBe('text');
    await show.click();
    expect(await show.getAttribute('aria-pressed')).toBe('false');
    expect(await page.locator('#password').getAttribute('type')).toBe('password');
    await show.click();
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

  test('a password can be given without scripts', async () => {
    const passwordHash = await hash('open sesame', { memoryCost: 64, timeCost: 1, parallelism: 1 });
    const link = await edge.link({ passwordHash, destination: { value: there } });
    const { page } = await visitor({ javaScriptEnabled: false });
    await page.goto(urlOf(link.slug));
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Open']);
    await page.locator('#password').fill('open sesame');
    await page.keyboard.press('Enter');
    await page.waitForURL(there);
  });

  test('a script of any site follows a link by fetch, with headers of its own too', async () => {
    const { slug } = await edge.link({ destination: { value: `${there}open` } });
    const { page } = await visitor();
    await page.goto(there);
    const read = `(headers) => fetch('${urlOf(slug)}', { headers }).then((answer) => answer.text())`;
    expect(await page.evaluate(`(${read})({})`)).toBe('read');
    expect(await page.evaluate(`(${read})({ 'x-own': '1', authorization: 'Bearer x' })`)).toBe('read');
  });

  test('a deep link waits for a tap, and says when no app opened (4.11)', async () => {
    const { slug } = await edge.link({ destination: { value: there, iosDeepLink: 'waymark-test-app://open?a=1&b=2' } });
    for (const javaScriptEnabled of [true, false]) {
      const { page, complaints } = await visitor({ userAgent: iphone, viewport: phone, javaScriptEnabled });
      await page.goto(urlOf(slug));
      const app = page.getByRole('link', { name: 'Open in the app' });
      if (javaScriptEnabled) {
        // The clock of the page alone: what would happen by itself within a minute happens now.
        await page.clock.install();
        await page.clock.runFor(60_000);
        expect(page.url()).toBe(urlOf(slug));
        await app.click({ noWaitAfter: true });
        await page.clock.runFor(10_000);
        await page.getByRole('status').filter({ hasText: 'No app opened.' }).waitFor();
      }
      expect(await app.getAttribute('href')).toBe('waymark-test-app://open?a=1&b=2');
      expect(page.url()).toBe(urlOf(slug));
      await page.getByRole('link', { name: 'Continue in the browser' }).click();
      await page.waitForURL(there);
      expect(complaints).toEqual([]);
    }
  });

  test(
    'all of them fit a phone and a desktop, dark and light, in German and English, and break no rule of accessibility',
    { tags: 'nightly' },
    async () => {
      const passwordHash = await hash('x', { memoryCost: 64, timeCost: 1, parallelism: 1 });
      const guarded = await edge.link({ passwordHash });
      const expired = await edge.link({ expiresAt: new Date(0) });
      const capped = await edge.link({ maxClicks: 100 });
      await edge.db.query('insert into link_caps (link_id, granted) values ($1, 100)', [capped.id]);
      const app = await edge.link({ destination: { value: there, iosDeepLink: 'waymark-test-app://x' } });
      const threatTypes = ['MALWARE', 'SOCIAL_ENGINEERING'] as const;
      const flagged = await edge.link({
        destination: { value: 'https://long-name.of-a-bad-site.example/', threatTypes },
      });
      const told = await edge.link({
        destination: { value: there },
        metaTags: {
          title: 'A title that is rather long, with Donaudampfschifffahrtsgesellschaft',
          description: 'About it.',
        },
      });
      const shown: [name: string, slug: string, agent: string, act?: (page: Page) => Promise<void>][] = [
        ['bare', '', userAgent],
        ['password', guarded.slug, userAgent],
        [
          'wrong-password',
          guarded.slug,
          userAgent,
          async (page) => {
            await page.locator('#password').fill('wrong');
            await page.keyboard.press('Enter');
            await page.getByRole('alert').waitFor();
          },
        ],
        ['expired', expired.slug, userAgent],
        ['capped', capped.slug, userAgent],
        ['deep-link', app.slug, iphone],
        ['warning', flagged.slug, userAgent],
        ['report', `.well-known/report?link=${flagged.slug}`, userAgent],
        [
          'reported',
          `.well-known/report?link=${flagged.slug}`,
          userAgent,
          async (page) => {
            await page.locator('button').click();
            await page.locator('form').waitFor({ state: 'detached' });
          },
        ],
        ['preview', told.slug, 'WhatsApp/2.23.20.0 A'],
        ['not-found', 'unknown', userAgent],
        ['too-many', 'unknown', userAgent],
      ];
      const looks = [
        [phone, 'dark', 'de'],
        [phone, 'light', 'en'],
        [small, 'light', 'de'],
        [desktop, 'dark', 'en'],
        [desktop, 'light', 'de'],
      ] as const;
      for (const [viewport, colorScheme, locale] of looks) {
        for (const [name, slug, agent, act] of shown) {
          const { page, complaints } = await visitor({ viewport, colorScheme, locale, userAgent: agent });
          await page.goto(urlOf(slug));
          await act?.(page);
          const width = await page.evaluate('document.documentElement.scrollWidth');
          expect(width, `${name} on ${viewport.width}`).toBeLessThanOrEqual(viewport.width);
          expect(await page.locator('html').getAttribute('lang')).toBe(locale);
          const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
          expect(ground).toBe(colorScheme === 'dark' ? 'rgb(17, 17, 19)' : 'rgb(252, 252, 253)');
          for (const { what, ratio, least } of await contrastsOf(page)) {
            expect(ratio, `${what} of ${name}, ${colorScheme}`).toBeGreaterThanOrEqual(least);
          }
          // The rules look at the tree and at colours: one width is enough.
          const isRuled = viewport === phone;
          if (isRuled) expect(await brokenRules(page), `${name}, ${colorScheme}`).toEqual([]);
          if (pictures !== undefined) {
            const file = `${name}-${viewport.width}-${colorScheme}-${locale}.png`;
            await page.screenshot({ path: join(pictures, file), animations: 'disabled' });
          }
          expect(complaints).toEqual([]);
          await page.context().close();
        }
      }
    },
  );
});
