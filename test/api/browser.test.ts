// @module-tag process

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { freePorts } from '#test/support/free-ports.ts';

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

  test('a key given to it makes calls, is kept nowhere, and is gone when the page is loaded again (13.4)', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // The package writes a style of its own into the page, which looks the same without.
      const isStyle = message.text().startsWith('Applying inline style');
      if (!isStyle && /Security Policy|refused/i.test(message.text())) complaints.push(message.text());
    });
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith('data:')) foreign.push(request.url());
    });
    await page.goto(`${address}/ui/`);
    const authorize = page.locator('.auth-wrapper .authorize').first();
    await authorize.click();
    const dialog = page.locator('.auth-container', { hasText: 'x-api-key' });
    await dialog.locator('input').fill(api.organization.key);
    await dialog.getByRole('button', { name: 'Apply' }).or(dialog.locator('button.authorize')).first().click();
    await page.locator('button.btn-done').first().click();

    const operation = page.locator('.opblock', { hasText: '/tag/list' }).first();
    await operation.click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const answer = page.waitForResponse((response) => response.url().startsWith(`${address}/tag/list`));
    await operation.locator('button.execute').click();
    expect((await answer).status()).toBe(200);

    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    const state = await context.storageState({ indexedDB: true });
    expect(state).toEqual({ cookies: [], origins: [] });
    await page.reload();
    await page.locator('.auth-wrapper .authorize.unlocked').first().waitFor();
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await context.close();
  });
});
