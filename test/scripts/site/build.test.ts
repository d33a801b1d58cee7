// @module-tag process

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSite } from '#scripts/build-site.ts';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';

// Installs the packages of site/, and builds all pages: half a minute.
describe.skipIf(!hasBrowser)('the documentation site', { tags: 'nightly' }, () => {
  const api = useOwnTestApi({ siteFolder: join(root, 'dist/site') });
  let url: string;
  let browser: Browser;
  beforeAll(async () => {
    await buildSite(() => {});
    url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  /** Opens a page that must load whole, and keep to its own policy. */
  async function open(path: string, colorScheme: 'light' | 'dark' = 'light') {
    const page = await browser.newPage({ colorScheme });
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on(
      'response',
      (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`),
    );
    page.on(
      'request',
      (request) => request.url().startsWith(url) || request.url().startsWith('data:') || errors.push(request.url()),
    );
    await page.goto(`${url}${path}`);
    return { page, errors };
  }

  test('a reader goes from /docs to a page and on by its links', async () => {
    const { page, errors } = await open('/docs');
    await page.getByRole('link', { name: 'API guide' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'API guide' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/api/');
    await page.getByRole('link', { name: '@waymark/sdk' }).first().click();
    await page.getByRole('heading', { level: 1, name: '@waymark/sdk' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('the search finds a section without a server, and leads there', async () => {
    const { page, errors } = await open('/docs/', 'dark');
    expect(await page.locator('html.dark').count()).toBe(1);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('idempotency');
    await page
      .getByRole('option', { name: /Idempotency/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Idempotency' }).first().waitFor();
    expect(errors).toEqual([]);
  });

  test('samples in several languages are tabs', async () => {
    const { page, errors } = await open('/docs/api/calls');
    await page.getByText('TypeScript', { exact: true }).first().click();
    expect(await page.locator('.vp-code-group .active').first().innerText()).toContain('waymark.folders.list');
    expect(errors).toEqual([]);
  });

  test('llms.txt lists pages that are there as Markdown', async () => {
    const text = await (await fetch(`${url}/docs/llms.txt`)).text();
    const listed = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!);
    expect(listed.length).toBeGreaterThan(30);
    const statuses = await Promise.all(listed.map(async (path) => [path, (await fetch(`${url}/docs/${path}`)).status]));
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
  });
});
