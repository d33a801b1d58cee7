// @module-tag process

import { afterAll, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createDomain } from '#test/support/factories.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import {
  describeFlows,
  expectAccessible,
  openTagsOfNewLink,
  useVisitors,
  type Visitor,
} from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// What the console tells of things, in words of people: of changes, keys, counts, times and keys of the keyboard.

const link = (rest: object = {}) => ({ destination: { type: 'link', value: 'https://example.com/' }, ...rest });
const day = 86_400_000;

describeFlows('the words of the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  afterAll(() => stack.receivers.stop());

  const style = (type: string, color: string) => ({
    imageId: null,
    options: { dotsOptions: { type, color }, backgroundOptions: { color: '#FFFFFF' } },
  });

  test(
    'the history of a link names the parts of its QR code, its folder, and what was turned off',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, call } = visitor;
      const { id } = await call('POST', '/short-link', link({ qrCode: style('square', '#111111') }));
      const folder = await call('POST', '/folder', { name: 'Campaigns', color: '#112233' });
      const change = (patch: object) => call('PATCH', `/short-link/${id}`, patch);
      await change({ qrCode: style('extra-rounded', '#1E3A8A') });
      await change({ folderId: folder.id, expiresAt: '2031-12-01T12:00:00.000Z' });
      const destination = { type: 'link', value: 'https://example.de/' };
      await change({ rules: [{ priority: 0, countries: ['DE'], osTypes: ['ios'], destination }] });
      await change({ isActive: false });
      await visitor.open(`/links/${id}`);
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('Changed: turned off by', { exact: false }).waitFor();
      await history.getByText(/^folder: .+ → Campaigns$/).waitFor();
      const text = await history.innerText();
      expect(text).toContain('QR code · Dots: Square → Very rounded');
      expect(text).toContain('QR code · Colour: #111111 → #1E3A8A');
      expect(text).toContain('rules: none → From Germany, on iOS: https://example.de/');
      expect(text).toMatch(/end: none → 1 Dec 2031, \d\d:00/);
      expect(text).not.toMatch(/Background|on or off|[\da-f]{8}-[\da-f]{4}-/);
      await expectAccessible(visitor, 'link-history-words');
      await visitor.open(`/links/${id}/history`);
      await page.getByText(/changed the link .+: turned off$/).waitFor();
    },
  );

  test(
    'the audit log tells what was turned off, and what a key may do, as the list of keys does',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, call } = visitor;
      const domain = await createDomain(stack.db, visitor.organization.id, { domain: 'go.off.example' });
      await call('PATCH', `/domain/${domain.id}`, { isActive: false });
      await visitor.open('/settings/keys');
      await visitor.click('button', 'New key');
      await visitor.focused('Name');
      await visitor.type('Reader');
      await page.getByText('Read everything', { exact: true }).click();
      await visitor.click('button', 'Make the key');
      await page.getByText('Copy the key now').waitFor();
      await visitor.open('/settings/keys');
      await page.getByText('Links, folders, tags (read)', { exact: false }).waitFor();
      await expectAccessible(visitor, 'settings-keys-rights');
      await visitor.open('/settings/audit');
      await page.getByText('fields: turned off').waitFor();
      expect(await page.getByRole('main').innerText()).not.toContain('on or off');
      await page.getByText(/key for: a program · it may: .*Links, folders, tags \(read\)/).waitFor();
      await expectAccessible(visitor, 'settings-audit-words');
    },
  );

  test('the answer to a test of a webhook stands below the head of its page', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, call } = visitor;
    const port = await stack.receivers.https((_request, response) => response.writeHead(204).end());
    const url = `https://127.0.0.1:${port}/words`;
    const { id } = await call('POST', '/webhook', { url, events: ['link.created'], name: 'CRM' });
    await visitor.open(`/webhooks/${id}`);
    const edit = page.getByRole('button', { name: 'Edit', exact: true });
    await edit.waitFor();
    const before = (await edit.boundingBox())!;
    await visitor.click('button', 'Send a test');
    await page.getByRole('link', { name: 'Show the test' }).waitFor();
    expect(await edit.boundingBox()).toEqual(before);
    await expectAccessible(visitor, 'webhook-tested');
  });

  test('statistics compare no share with one of no clicks', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, call, organization } = visitor;
    const made = await call('POST', '/short-link', link());
    const of = { organizationId: organization.id, linkId: made.id, domainId: made.domainId, folderId: made.folderId };
    const click = { ...of, clickedAtMs: Date.now() - 60_000 };
    await ingestClicks(stack.db, [testClick({ ...click, isQrCode: true }), testClick(click)]);
    await visitor.open('/stats');
    const totals = page.locator('dl').first();
    await totals.getByText('50.0%').waitFor();
    expect(await totals.innerText()).not.toContain('points');
    await ingestClicks(stack.db, [testClick({ ...of, clickedAtMs: Date.now() - 40 * day })]);
    await page.reload();
    await totals.getByText('+50 points').waitFor();
  });

  test('the way to the next check of a domain is counted down by the second', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, call } = visitor;
    const { id } = await call('POST', '/domain', { domain: 'go.countdown.example' });
    await visitor.open(`/domains/${id}`);
    const next = page.getByText('next check in', { exact: false }).first();
    await next.waitFor();
    const secondsLeft = async (): Promise<number> =>
      Number(/next check in (\d+) seconds/.exec(await next.innerText())?.[1]);
    const first = await secondsLeft();
    const later = await eventually(secondsLeft, (now) => now < first);
    expect(later).toBeGreaterThanOrEqual(0);
    await visitor.click('button', 'Copy for your DNS provider');
    await page.getByText('The records of go.countdown.example are copied').waitFor();
    await expectAccessible(visitor, 'domain-countdown');
  });

  test('letters that follow the key of a new link stand in its dialog', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, call } = visitor;
    await call('POST', '/short-link', link());
    // As a slow network does it.
    await page.route('**/new-link-dialog-*.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await visitor.open('/links');
    await page.locator('[data-link]').first().waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('https://example.com/gjkx');
    await visitor.focused('Destination');
    await page.keyboard.type('/more');
    expect(await page.getByLabel('Destination', { exact: true }).inputValue()).toBe('https://example.com/gjkx/more');
    await visitor.press('Escape');
    expect(new URL(page.url()).pathname).toBe('/console/links');
  });

  test('keys that a person has switched off are named nowhere', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, call } = visitor;
    const made = await call('POST', '/short-link', link());
    await visitor.open('/links');
    const menu = async (): Promise<string> => {
      await visitor.click('button', 'Actions: ');
      const text = await page.getByRole('menu').innerText();
      await visitor.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      return text;
    };
    expect(await menu()).toMatch(/Edit\s+e\b/);
    await visitor.click('button', 'Account');
    await page.getByRole('menuitem', { name: 'Single keys act' }).click();
    expect(await menu()).not.toMatch(/Edit\s+e\b/);
    await page.getByRole('button', { name: 'New link' }).hover();
    await visitor.click('button', 'Account');
    await page.getByRole('menuitem', { name: 'Keys', exact: true }).click();
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('Single keys are switched off').waitFor();
    expect(await help.locator('kbd').allInnerTexts()).not.toContain('c');
    await expectAccessible(visitor, 'keys-switched-off');
    await visitor.press('Escape');
    await visitor.open(`/links/${made.id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).hover();
    // As long as a tooltip takes to appear, and some.
    await page.waitForTimeout(600);
    expect(await page.getByRole('tooltip').count()).toBe(0);
  });

  test('ArrowDown in a list that is still being read goes to its first line', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, call } = visitor;
    await call('POST', '/folder', { name: 'Campaigns', color: '#112233' });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/tag/list*', async (route) => {
      await held;
      await route.continue();
    });
    await call('POST', '/tag', { name: 'spring', color: '#112233' });
    const tags = await openTagsOfNewLink(visitor);
    await tags.focus();
    await visitor.press('ArrowDown');
    release();
    await page.getByRole('option', { name: 'spring' }).waitFor();
    await eventually(async () => (await tags.getAttribute('aria-activedescendant')) !== null);
    await visitor.press('Enter');
    await page.getByRole('button', { name: 'Remove the tag spring' }).waitFor();
    expect(await page.getByRole('option').count()).toBe(0);
  });

  test('the field of a logo names the logo, also of more than are listed', { tags: 'nightly' }, async () => {
    await using visitor: Visitor & AsyncDisposable = await visit();
    const { page, call } = visitor;
    const { id } = await call('POST', '/short-link', link());
    await page.route('**/files/list*', (route) => route.fulfill({ json: { count: 0, data: [] } }));
    await visitor.open(`/links/${id}/qr`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload a logo' }).click(),
    ]);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4"/></svg>';
    await chooser.setFiles({ name: 'dot.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
    await page.getByText('PNG, JPG or SVG, at most 512 kB').waitFor();
    await page.getByRole('button', { name: /dot\.svg.*Logo/ }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('Select an item');
    await expectAccessible(visitor, 'qr-logo');
  });
});
