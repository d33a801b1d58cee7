// @module-tag process

import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('changes of many links', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const selectPage = async ({ page, press }: Pick<Visitor, 'page' | 'press'>): Promise<void> => {
    await page.getByRole('checkbox', { name: 'Select the rows of this page' }).focus();
    await press('Space');
  };
  /** Opens the list of the focused field by its key, which does nothing while the list is being read. */
  const openList = async ({ page, press }: Pick<Visitor, 'page' | 'press'>, name: string): Promise<void> => {
    const option = page.getByRole('option', { name });
    await eventually(async () => {
      if (!(await option.isVisible())) await press('ArrowDown');
      return option.isVisible();
    }, Boolean);
  };
  const links = (count: number, rest: object = {}) =>
    Array.from({ length: count }, (_value, index) => ({
      destination: { type: 'link', value: `https://example.com/${index}` },
      ...rest,
    }));

  test('archiving asks first and leads to the last page that is left; restoring says how many changed', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.call('POST', '/short-link/bulk', { links: links(51) });
    await visitor.open('/links?page=99');
    await page.waitForURL('**/links?page=2');
    await selectPage(visitor);
    await visitor.click('button', /^More$/);
    expect(await page.getByRole('menuitem', { name: 'Restore' }).count()).toBe(0);
    await visitor.click('menuitem', 'Archive');
    const question = page.getByRole('alertdialog', { name: 'Archive 1 link?' });
    await question.getByText('1 link stops redirecting').waitFor();
    await question.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('1 link changed').waitFor();
    await page.waitForURL((url) => url.search === '');
    await page.getByText('50 links', { exact: true }).waitFor();

    await visitor.open('/links?state=archived,active');
    await page.getByText('51 links', { exact: true }).waitFor();
    await visitor.press('Control+a');
    await visitor.click('button', /^More$/);
    await expectAccessible(visitor, 'bulk-menu');
    await visitor.click('menuitem', 'Restore');
    await page.getByText('1 of 51 links changed').waitFor();
    await visitor.click('button', 'Undo');
    await page.getByText('The change is undone').waitFor();

    await visitor.open('/links?state=archived');
    await page.getByText('1 link', { exact: true }).waitFor();
    await visitor.press('Control+a');
    await visitor.click('button', /^More$/);
    expect(await page.getByRole('menuitem', { name: 'Archive' }).count()).toBe(0);
    await visitor.click('menuitem', 'Switch on');
    await page.getByText('Nothing changed: the link was so already').waitFor();
  });

  test('a change of which no link took part is not said to have been made', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    await visitor.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
    await visitor.open('/links');
    await page.locator('[data-link]').first().waitFor();
    await page.route('**/short-link/bulk', (route) => route.abort());
    await visitor.press('Control+a');
    await visitor.click('button', 'Switch off');
    await page.getByText('1 link was not changed. It stays selected.').waitFor();
    expect(await page.getByText('Nothing changed').count()).toBe(0);
  });

  test('a folder and a tag that are chosen from the list are what the links get, and Undo takes them back', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const { results } = await visitor.call('POST', '/short-link/bulk', { links: links(2) });
    const { id, folderId: before } = results[0].data;
    const [spring] = [
      await visitor.call('POST', '/folder', { name: 'Spring' }),
      await visitor.call('POST', '/folder', { name: 'Autumn' }),
      await visitor.call('POST', '/tag', { name: 'print' }),
    ];
    await visitor.open('/links');
    await selectPage(visitor);
    await visitor.click('button', 'Move');
    const dialog = page.getByRole('dialog');
    const field = dialog.getByRole('combobox');
    await field.and(page.locator(':focus')).waitFor();
    await visitor.type('spr');
    await visitor.click('option', 'Spring');
    await expect.poll(() => field.inputValue()).toBe('Spring');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 links changed').waitFor();
    const folderNow = async () => (await visitor.call('GET', `/short-link/${id}`)).folderId;
    expect(await folderNow()).toBe(spring.id);
    await visitor.click('button', 'Undo');
    await page.getByText('The change is undone').waitFor();
    expect(await folderNow()).toBe(before);

    // Another text after a choice is what counts.
    await selectPage(visitor);
    await visitor.click('button', 'Move');
    await field.and(page.locator(':focus')).waitFor();
    await openList(visitor, 'Spring');
    await visitor.click('option', 'Spring');
    await expect.poll(() => field.inputValue()).toBe('Spring');
    await page.getByRole('option').waitFor({ state: 'detached' });
    await visitor.press('Control+a');
    await visitor.type('autumn');
    await expect.poll(() => page.locator('[role="dialog"] [type="submit"]').isEnabled()).toBe(true);
    await visitor.press('Enter');
    await page.getByText('2 links changed').waitFor();
    expect((await visitor.call('GET', `/short-link/${id}`)).folder.name).toBe('Autumn');

    await selectPage(visitor);
    await visitor.press('t');
    await field.and(page.locator(':focus')).waitFor();
    await openList(visitor, 'print');
    await visitor.click('option', 'print');
    await expect.poll(() => field.inputValue()).toBe('print');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect
      .poll(async () => (await visitor.call('GET', `/short-link/${id}`)).tags)
      .toMatchObject([{ name: 'print' }]);
  });

  test('dialogs name how many links they change, and take an end away', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const { results } = await visitor.call('POST', '/short-link/bulk', {
      links: links(2, { expiresAt: '2099-01-01T00:00:00Z', tags: ['Spring'] }),
    });
    await visitor.call('POST', '/short-link', { ...links(1)[0], tags: ['Other'] });
    await visitor.open('/links?tag=Spring');
    await page.getByText('2 links', { exact: true }).waitFor();
    await selectPage(visitor);
    await visitor.click('button', /^More$/);
    await visitor.click('menuitem', 'Untag');
    await page.getByRole('dialog', { name: 'Take a tag away from 2 links' }).waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('option').count()).toBe(0);
    await visitor.press('ArrowDown');
    await page.getByRole('option', { name: 'Spring' }).waitFor();
    expect(await page.getByRole('option').count()).toBe(1);
    await visitor.press('Escape');
    await visitor.click('button', 'Cancel');
    await visitor.click('button', /^More$/);
    await visitor.click('menuitem', 'End date');
    const dialog = page.getByRole('dialog', { name: 'End of 2 links' });
    await dialog.getByText(Intl.DateTimeFormat().resolvedOptions().timeZone).waitFor();
    await expectAccessible(visitor, 'bulk-end');
    await visitor.click('button', 'Remove the end');
    await page.getByText('2 links changed').waitFor();
    expect(await visitor.call('GET', `/short-link/${results[0].data.id}`)).toMatchObject({ expiresAt: null });
  });

  test('a filter that is typed applies after a pause, of folders too', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const folder = await visitor.call('POST', '/folder', { name: 'Spring Sale' });
    await visitor.call('POST', '/short-link', { ...links(1)[0], folderId: folder.id });
    await visitor.call('POST', '/short-link', { ...links(1)[0], tags: ['sale'] });
    await visitor.open('/links');
    await page.getByText('2 links', { exact: true }).waitFor();
    await visitor.press('/');
    await visitor.type('tag:sale');
    await page.waitForURL('**/links?tag=sale');
    await eventually(
      () => page.getByRole('searchbox').inputValue(),
      (text) => text === '',
    );
    await page.getByText('1 link', { exact: true }).waitFor();
    await visitor.open('/links');
    await page.getByText('2 links', { exact: true }).waitFor();
    await visitor.press('/');
    await visitor.type('folder:"spring sale"');
    await page.waitForURL(`**/links?folder=${folder.id}`);
    await page.getByText('1 link', { exact: true }).waitFor();
    expect(await page.getByRole('list', { name: 'Filters' }).innerText()).toContain('Folder: Spring Sale');
  });
});
