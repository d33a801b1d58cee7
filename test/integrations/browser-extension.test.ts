// @module-tag process
// @module-tag nightly

import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { findChromium } from '#test/support/fetched-tools.ts';
import { answer, startScriptedServer } from '#test/support/scripted-server.ts';
import { readQr } from '#test/support/read-qr.ts';

const source = join(root, 'integrations/browser-extension');
const executablePath = findChromium();
const tab = { url: 'https://example.com/spring?a=1&b=2', title: 'Spring' };

describe.skipIf(executablePath === undefined)('the browser extension, in Chromium', () => {
  const api = useOwnTestApi();
  let address: string;
  let extension: string;
  let context: BrowserContext;
  let key: string;

  beforeAll(async () => {
    ({ key } = await createOrganization(api.db, { permissions: { shortLinks: ['create', 'read'] } }));
    address = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const folder = mkdtempSync(join(inject('stack').folder, 'extension-'));
    cpSync(source, folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(source, 'manifest.json'), 'utf8')) as object;
    // Chromium asks a person for access to the API's host, and a test cannot answer: the manifest of the test has the access already.
    const granted = { ...manifest, host_permissions: ['http://127.0.0.1/*'] };
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(granted));
    // Chromium names an unpacked extension by the hash of its folder.
    const hash = createHash('sha256').update(folder).digest('hex').slice(0, 32);
    extension = hash.replaceAll(/./g, (digit) => String.fromCodePoint(97 + Number.parseInt(digit, 16)));
    context = await chromium.launchPersistentContext('', {
      executablePath: executablePath!,
      headless: false,
      args: [
        '--headless=new',
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--lang=en-US',
        `--disable-extensions-except=${folder}`,
        `--load-extension=${folder}`,
      ],
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  afterAll(async () => context?.close());

  async function open(page: string): Promise<Page> {
    const opened = await context.newPage();
    await opened.goto(`chrome-extension://${extension}/${page}`);
    return opened;
  }

  /** The popup over a page. A popup is no page to the test, which opens it in a tab of its own and says which one is in front. */
  async function openPopup(front: { url: string; title: string } = tab): Promise<Page> {
    const popup = await context.newPage();
    await popup.addInitScript(`chrome.tabs.query = async () => [${JSON.stringify(front)}]`);
    await popup.goto(`chrome-extension://${extension}/popup.html`);
    return popup;
  }

  const saying = (page: Page) => async () => page.locator('#message').textContent();

  async function setUp(api: string, key: string): Promise<string | null> {
    const options = await open('options.html');
    await options.getByLabel('Address of the API').fill(api);
    await options.getByLabel('API key').fill(key);
    await options.getByRole('button', { name: 'Save' }).click();
    const message = await eventually(saying(options), (text) => text !== '');
    await options.close();
    return message;
  }

  test('settings are checked before they are kept', async () => {
    const popup = await openPopup();
    expect(await eventually(saying(popup), (text) => text !== '')).toContain('where your Waymark is');
    expect(await popup.getByRole('button', { name: 'Set up' }).isVisible()).toBe(true);
    expect(await setUp('http://127.0.0.1:1', 'wm_live_x')).toContain('does not answer');
    expect(await setUp(address, 'wm_live_x')).toBe('Waymark does not know this key.');
    await using page = await startScriptedServer(answer('<h1>Console</h1>', 200, { 'content-type': 'text/html' }));
    const notWaymark = 'What answers at this address is not the API of Waymark.';
    expect(await setUp(`${page.address}/console`, key)).toBe(notWaymark);
    await using moved = await startScriptedServer((response) =>
      response.writeHead(307, { location: `${page.address}/elsewhere` }).end(),
    );
    expect(await setUp(moved.address, key)).toBe(notWaymark);
    expect(page.sent.map(({ url }) => url)).not.toContain('/elsewhere');
    expect(await setUp('mailto:me@example.com', 'wm_live_x')).toBe('This is no address of a server.');
    expect(await setUp(`${address}/`, key)).toContain('Saved');
  });

  test('a page is shortened: its link is on the clipboard, its QR code shown', async () => {
    const popup = await openPopup();
    await popup.getByRole('button', { name: 'Shorten' }).click();
    await eventually(saying(popup), (text) => text === 'Copied');
    const short = await popup.evaluate<string>('navigator.clipboard.readText()');
    const { host, pathname } = new URL(short);
    const { body } = await api.call('GET', `/short-link/lookup?domain=${host}&slug=${pathname.slice(1)}`, undefined, {
      headers: { 'x-api-key': key },
    });
    expect(body).toMatchObject({ destination: { value: tab.url }, title: 'Spring' });
    const picture = popup.getByRole('img', { name: 'QR code of the short link' });
    await picture.waitFor();
    const bytes = await popup.evaluate<string>(
      "fetch(document.querySelector('#picture').src).then((answer) => answer.bytes()).then((bytes) => bytes.toBase64())",
    );
    expect(await readQr(Buffer.from(bytes, 'base64'))).toBe(`${short}?qr=1`);
    expect(await popup.getByRole('link', { name: 'Open in Waymark' }).getAttribute('href')).toBe(
      `${address}/console/links/${body.id}`,
    );
  });

  test('a long title is cut between two characters', async () => {
    const popup = await openPopup({ ...tab, title: `${'a'.repeat(254)}🙂🙂` });
    await popup.getByRole('button', { name: 'Shorten' }).click();
    await eventually(saying(popup), (text) => text === 'Copied');
    const { body } = await api.call('GET', '/short-link/list?limit=1', undefined, { headers: { 'x-api-key': key } });
    expect(body).toMatchObject({ data: [{ title: `${'a'.repeat(254)}🙂` }] });
  });

  test('an ending of one’s own is kept, and one that is taken is told', async () => {
    for (const [slug, said] of [
      ['of-my-own', 'Copied'],
      ['of-my-own', 'in use'],
      ['a/b c', 'slug'],
    ] as const) {
      const popup = await openPopup();
      await popup.getByLabel('Ending of the short link').fill(slug);
      await popup.keyboard.press('Enter');
      expect(await eventually(saying(popup), (text) => text !== '' && text !== null)).toContain(said);
    }
  });

  test('a page without a web address is told', async () => {
    const popup = await openPopup({ url: 'chrome://settings/', title: 'Settings' });
    expect(await eventually(saying(popup), (text) => text !== '')).toContain('no web address');
  });
});

test('both languages of the extension have every text that its pages ask for', () => {
  const texts = ['popup.html', 'options.html', 'popup.js', 'options.js', 'waymark.js', 'manifest.json']
    .map((name) => readFileSync(join(source, name), 'utf8'))
    .join('\n');
  const asked = [...texts.matchAll(/data-text="(\w+)"|words\('(\w+)'\)|__MSG_(\w+)__/g)].map(
    ([, ofPage, ofScript, ofManifest]) => ofPage ?? ofScript ?? ofManifest,
  );
  const known = readdirSync(join(source, '_locales')).map((language): [string, string[]] => {
    const texts = JSON.parse(readFileSync(join(source, '_locales', language, 'messages.json'), 'utf8')) as object;
    return [language, Object.keys(texts).toSorted()];
  });
  const wanted = [...new Set(asked)].toSorted();
  expect(known).toEqual([
    ['de', wanted],
    ['en', wanted],
  ]);
});
