// @module-tag process

import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { freePorts } from '#test/support/free-ports.ts';

// Folder of screenshots of the page, for a look by a developer.
const { WAYMARK_SCREENSHOTS: pictures } = process.env;

describe.skipIf(!hasBrowser)('/ui in a browser', () => {
  let api: TestApi;
  let browser: Browser;
  let address: string;
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    address = `http://localhost:${port}`;
    [api, browser] = await Promise.all([createTestApi({ baseUrl: address }), startBrowser()]);
    await api.app.listen({ host: 'localhost', port });
  });
  afterAll(async () => {
    await browser.close();
    await api[Symbol.asyncDispose]();
  });

  /** Opens /ui/ in a new context. @returns the page, and what it must not do: errors, refusals of its policy, calls of other servers. */
  async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Security Policy|refused/i.test(message.text())) complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith('data:')) complaints.push(request.url());
    });
    await page.goto(`${address}/ui/`);
    await page.getByRole('heading', { name: 'Waymark', level: 1 }).waitFor();
    return { page, complaints };
  }

  /** Expects a page that names Waymark alone, in a look, and does not scroll sideways. */
  async function expectName(page: Page, device: string, colorScheme: 'light' | 'dark'): Promise<void> {
    expect(await page.title()).toBe('Waymark API');
    expect(await page.locator('body').innerText()).not.toMatch(/scalar|swagger/i);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [red = 255] = String(background).match(/\d+/g)!.map(Number);
    expect(red < 128).toBe(colorScheme === 'dark');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `ui-${device}-${colorScheme}.png`) });
  }

  test(
    'it bears the name Waymark alone; a key given to it makes calls, is kept nowhere, and is gone when the page is loaded again (13.4)',
    { tags: 'nightly' },
    async () => {
      const { page, complaints } = await open({ colorScheme: 'light', viewport: { width: 1280, height: 800 } });
      await expectName(page, 'desktop', 'light');
      const context = page.context();
      const key = page.getByRole('textbox', { name: 'Value' }).first();
      await key.fill(api.organization.key);
      await page.getByRole('link', { name: 'List short links' }).click();
      await page.getByRole('button', { name: 'Test Request (get /short-link/list)' }).click();
      const answer = page.waitForResponse((response) => response.url().startsWith(`${address}/short-link/list`));
      await page.getByRole('button', { name: /^Send/ }).first().click();
      expect((await answer).status()).toBe(200);

      const state = await context.storageState({ indexedDB: true });
      expect(state).toEqual({ cookies: [], origins: [] });
      expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
      await page.reload();
      await key.waitFor();
      expect(await key.inputValue()).toBe('');
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  test.each([
    ['desktop', 'dark', { width: 1280, height: 800 }],
    ['phone', 'light', { width: 360, height: 740 }],
    ['phone', 'dark', { width: 360, height: 740 }],
  ] as const)(
    'on a %s, in %s colours, it bears the name Waymark alone',
    { tags: 'nightly' },
    async (device, colorScheme, viewport) => {
      const { page, complaints } = await open({ colorScheme, viewport });
      await expectName(page, device, colorScheme);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );
});
