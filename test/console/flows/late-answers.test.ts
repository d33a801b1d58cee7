// @module-tag process

import type { Route } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { describeFlows, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// What a person meets whose save is answered late, or whose draft is older than the link.

describeFlows('the console when answers are late', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  afterEach(() => stack.heal());

  const makeLink = (visitor: Visitor, value: string, rest: object = {}) =>
    visitor.call('POST', '/short-link', { destination: { type: 'link', value }, ...rest });
  const readLink = (visitor: Visitor, { id }: { id: string }) => visitor.call('GET', `/short-link/${id}`);
  const pathOf = ({ page }: Visitor): string => new URL(page.url()).pathname;

  /** Withholds calls of a method until `release`. */
  async function withhold({ page }: Visitor, method: string, path: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await page.route(path, async (route: Route) => {
      if (route.request().method() === method) {
        begun.resolve();
        await promise;
      }
      await route.continue();
    });
    return { begun: begun.promise, release: resolve };
  }

  async function openEditor(visitor: Visitor, id: string): Promise<void> {
    await visitor.open(`/links/${id}/edit`);
    await visitor.focused('Destination');
    await visitor.loaded();
  }

  test('Try again sends what stands in the form by then', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    const made = await makeLink(visitor, 'https://example.com/before');
    await openEditor(visitor, made.id);
    const path = `**/short-link/${made.id}`;
    await page.route(path, (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()));
    await visitor.type('https://example.com/first');
    await visitor.press('Enter');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(path);
    await page.getByLabel('Destination').fill('https://example.com/second');
    await visitor.click('button', 'Try again');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await readLink(visitor, made)).destination.value).toBe('https://example.com/second');
  });

  test('a link that is saved after the person went elsewhere leaves them where they are', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await makeLink(visitor, 'https://example.com/before');
    await openEditor(visitor, made.id);
    const call = await withhold(visitor, 'PATCH', `**/short-link/${made.id}`);
    await visitor.type('https://example.com/after');
    await visitor.press('Enter');
    await call.begun;
    await visitor.click('link', 'Statistics');
    await visitor.loaded();
    call.release();
    await page.getByText('Saved', { exact: true }).waitFor();
    await visitor.loaded();
    expect(pathOf(visitor)).toBe('/console/stats');
    expect((await readLink(visitor, made)).destination.value).toBe('https://example.com/after');
  });

  test('a link that is made after its dialog was closed leaves the next draft alone', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await makeLink(visitor, 'https://example.com/other');
    await visitor.open('/links');
    await page.locator('[data-link]').first().waitFor();
    const call = await withhold(visitor, 'POST', '**/short-link');
    await visitor.press('c');
    await visitor.focused('Destination');
    await visitor.type('https://example.com/first');
    await visitor.press('Enter');
    await call.begun;
    await visitor.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visitor.press('c');
    await visitor.focused('Destination');
    await page.getByLabel('Destination').fill('https://example.com/second');
    call.release();
    await page.getByText('is made and copied').waitFor();
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/second');
    await page.reload();
    await page.getByText('A draft that was not saved has been put back.').waitFor();
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/second');
  });

  test('what is typed while a link is saved stays in the form', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await makeLink(visitor, 'https://example.com/before');
    await openEditor(visitor, made.id);
    const call = await withhold(visitor, 'PATCH', `**/short-link/${made.id}`);
    await visitor.type('https://example.com/first');
    await visitor.press('Enter');
    await call.begun;
    await page.getByLabel('Title', { exact: true }).fill('Second');
    call.release();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Second');
    await page.reload();
    await page.getByText('A draft that was not saved has been put back.').waitFor();
    await visitor.press('Control+Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readLink(visitor, made)).toMatchObject({
      destination: { value: 'https://example.com/first' },
      title: 'Second',
    });
  });

  test('a draft that is put back keeps what others have saved since in other fields', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await makeLink(visitor, 'https://example.com/before', { title: 'Before' });
    await openEditor(visitor, made.id);
    await page.getByLabel('Title', { exact: true }).fill('Mine');
    await visitor.call('PATCH', `/short-link/${made.id}`, {
      destination: { type: 'link', value: 'https://example.com/theirs' },
    });
    await openEditor(visitor, made.id);
    await page.getByText('A draft that was not saved has been put back.').waitFor();
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/theirs');
    await visitor.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await readLink(visitor, made)).toMatchObject({
      destination: { value: 'https://example.com/theirs' },
      title: 'Mine',
    });
  });

  test('a draft that is put back asks before it overwrites what others have saved since', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/409|412/);
    const { page } = visitor;
    const made = await makeLink(visitor, 'https://example.com/before');
    await openEditor(visitor, made.id);
    await visitor.type('https://example.com/mine');
    await visitor.call('PATCH', `/short-link/${made.id}`, {
      destination: { type: 'link', value: 'https://example.com/theirs' },
    });
    await openEditor(visitor, made.id);
    await visitor.press('Enter');
    await page.getByRole('alertdialog', { name: 'Somebody else changed this link' }).waitFor();
    expect((await readLink(visitor, made)).destination.value).toBe('https://example.com/theirs');
  });

  test('a page that is loaded again in the middle of a save calls nothing unsaved that was saved', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/ERR_|Failed to load resource/);
    const { page } = visitor;
    const made = await makeLink(visitor, 'https://example.com/before');
    await openEditor(visitor, made.id);
    const saved = Promise.withResolvers<void>();
    await page.route(`**/short-link/${made.id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      await route.fetch();
      // Its answer never comes.
      saved.resolve();
    });
    await visitor.type('https://example.com/after');
    await visitor.press('Enter');
    await saved.promise;
    await openEditor(visitor, made.id);
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/after');
    expect(await page.getByText('A draft that was not saved has been put back.').count()).toBe(0);
  });
});
