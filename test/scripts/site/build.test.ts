// @module-tag process

import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSite } from '#scripts/build/site.ts';
import { root } from '#scripts/lib/paths.ts';
import { readPages } from '#scripts/site/pages.ts';
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

  test('every page shows its text, also where a span of code holds what Vue would compute', async () => {
    const missing: string[] = [];
    for (const { path, title } of readPages()) {
      const answer = await fetch(`${url}/docs/${path.replace(/(?:index)?\.md$/, '')}`);
      if (!(await answer.text()).includes('<h1 ')) missing.push(title);
    }
    expect(missing).toEqual([]);
    const { page, errors } = await open('/docs/integrations');
    await page.getByText('such as {{$execution.id}} in n8n').waitFor();
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

  test('samples in several languages are tabs, and the language that is chosen is shown everywhere', async () => {
    const { page, errors } = await open('/docs/api/calls');
    const shown = () => page.locator('.vp-code-group .active').allInnerTexts();
    await page.getByText('TypeScript', { exact: true }).nth(1).click();
    expect((await shown()).every((text) => !text.startsWith('sh'))).toBe(true);
    expect((await shown())[0]).toContain('waymark.folders.list');
    await page.getByRole('link', { name: 'First link by a program' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'First link by a program' }).waitFor();
    await expect.poll(async () => (await shown())[0]).toContain('createWaymark');
    await page.reload();
    await expect.poll(async () => (await shown())[0]).toContain('createWaymark');
    expect(errors).toEqual([]);
  });

  test('no page is wider than a phone', async () => {
    const { page, errors } = await open('/docs/');
    await page.setViewportSize({ width: 390, height: 844 });
    const wide: string[] = [];
    for (const path of ['api/', 'api/start', 'api/coming-from', 'api/imports', 'limits', 'contract']) {
      await page.goto(`${url}/docs/${path}`);
      if (await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')) wide.push(path);
    }
    expect(wide).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('links lead to headings as on GitHub, and to the API reference outside of the site', async () => {
    const { page, errors } = await open('/docs/operations');
    expect(await page.locator('#the-operators-tool').count()).toBe(1);
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.waitForURL('**/ui');
    expect(errors.filter((error) => !error.includes('/ui'))).toEqual([]);
  });

  test('pictures of a page are there beside its Markdown', async () => {
    const text = await (await fetch(`${url}/docs/console.md`)).text();
    const pictures = [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path]) => path!);
    expect(pictures.length).toBeGreaterThan(3);
    const statuses = await Promise.all(
      pictures.map(async (path) => (await fetch(new URL(path, `${url}/docs/console.md`))).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('the packages that pages tell to install are there', async () => {
    for (const name of ['waymark-sdk', 'waymark', 'waymark-mcp', 'waymark-go', 'waymark-browser-extension']) {
      const answer = await fetch(`${url}/docs/packages/${name}-0.1.0.tgz`);
      expect([name, answer.status]).toEqual([name, 200]);
      // gzip
      expect(
        Buffer.from(await answer.arrayBuffer())
          .subarray(0, 2)
          .toString('hex'),
      ).toBe('1f8b');
    }
  });

  test('the skill for agents, the action for GitHub and the text of all pages are there', async () => {
    for (const [path, words] of [
      ['skills/waymark/SKILL.md', 'name: waymark'],
      ['github-action/action.yml', 'using: composite'],
      ['llms-full.txt', '# First link by a program'],
      ['packages/SHA256SUMS', 'waymark-sdk-0.1.0.tgz'],
    ] as const) {
      const answer = await fetch(`${url}/docs/${path}`);
      expect([path, answer.status, (await answer.text()).includes(words)]).toEqual([path, 200, true]);
    }
  });

  test('llms.txt lists pages that are there as Markdown', async () => {
    const text = await (await fetch(`${url}/docs/llms.txt`)).text();
    const listed = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!);
    expect(listed.length).toBeGreaterThan(30);
    const statuses = await Promise.all(listed.map(async (path) => [path, (await fetch(`${url}/docs/${path}`)).status]));
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
  });
});
