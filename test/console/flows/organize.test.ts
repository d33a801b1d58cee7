// @module-tag process

import { expect, test } from 'vitest';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('folders and tags in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (rest: object = {}) => ({ destination: { type: 'link', value: 'https://example.com/' }, ...rest });

  async function namesOf(visitor: Visitor, kind: 'folder' | 'tag'): Promise<string[]> {
    const { data } = await visitor.call('GET', `/${kind}/list`);
    return data.map(({ name }: { name: string }) => name).toSorted();
  }

  /** Opens the menu of a row and takes one of its entries. */
  async function take(visitor: Visitor, row: string, entry: string): Promise<void> {
    await visitor.click('button', `Actions for ${row}`);
    await visitor.click('menuitem', entry);
  }

  test(
    'a folder is made by 3 actions, renamed by 4, and deleted by 3, which moves its links to the default folder',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await visitor.open('/folders');
      await visitor.click('button', 'New folder');
      await visitor.focused('Name');
      await visitor.type('Spring');
      await visitor.press('Enter');
      await page.getByText('Made the folder “Spring”').waitFor();
      await page.getByRole('button', { name: 'New folder' }).and(page.locator(':focus')).waitFor();
      expect(visitor.actions()).toBe(3);

      const [folder] = (await visitor.call('GET', '/folder/list?search=Spring')).data;
      const links = [];
      for (let index = 0; index < 2; index += 1)
        links.push(await visitor.call('POST', '/short-link', link({ folderId: folder.id })));
      await visitor.call('POST', `/short-link/${links[1].id}/archive`);
      await page.getByRole('link', { name: 'Spring' }).waitFor();
      await expectAccessible(visitor, 'folders');

      visitor.restart();
      await take(visitor, 'Spring', 'Rename or recolour');
      await visitor.focused('Name');
      await visitor.type('Summer');
      await visitor.press('Enter');
      await page.getByRole('link', { name: 'Summer' }).waitFor();
      await page.getByRole('button', { name: 'Actions for Summer' }).and(page.locator(':focus')).waitFor();
      expect(visitor.actions()).toBe(4);
      expect(await namesOf(visitor, 'folder')).toEqual(['Links', 'Summer']);

      visitor.restart();
      await take(visitor, 'Summer', 'Delete');
      await page.getByText('It holds 2 links, which move to the folder “Links” and go on redirecting.').waitFor();
      await expectAccessible(visitor, 'folder-delete');
      await visitor.click('button', /^Delete$/);
      await page.getByText('Deleted the folder “Summer”').waitFor();
      expect(visitor.actions()).toBe(3);
      await page.getByRole('link', { name: 'Summer' }).waitFor({ state: 'detached' });
      const [target] = (await visitor.call('GET', '/folder/list')).data;
      for (const { id } of links) expect((await visitor.call('GET', `/short-link/${id}`)).folderId).toBe(target.id);
    },
  );

  test('a merged folder gives its links to the other one', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const from = await visitor.call('POST', '/folder', { name: 'Old' });
    const into = await visitor.call('POST', '/folder', { name: 'New' });
    const made = await visitor.call('POST', '/short-link', link({ folderId: from.id }));
    await visitor.open('/folders');
    await take(visitor, 'Old', 'Merge into another folder');
    await page.getByText('1 link moves to the other folder.').waitFor();
    await expectAccessible(visitor, 'folder-merge');
    await page.locator('input[role=combobox]:focus').waitFor();
    await visitor.type('new');
    await page.getByRole('option', { name: 'New' }).waitFor();
    await visitor.press('Enter');
    await page.getByText('Merged “Old” into “New”').waitFor();
    expect(visitor.actions()).toBe(4);
    expect((await visitor.call('GET', `/short-link/${made.id}`)).folderId).toBe(into.id);
    expect(await namesOf(visitor, 'folder')).toEqual(['Links', 'New']);
  });

  test(
    'a tag is made, recoloured, merged with its links, and deleted from the others',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await visitor.open('/tags');
      await page.getByText('No tag yet').waitFor();
      await expectAccessible(visitor, 'tags-empty');
      await visitor.click('button', 'New tag');
      await visitor.focused('Name');
      await visitor.type('print');
      await visitor.press('Enter');
      await page.getByRole('link', { name: 'print' }).waitFor();
      expect(visitor.actions()).toBe(3);

      const links = Array.from({ length: 120 }, () => link({ tags: ['print'] }));
      for (const start of [0, 60])
        await visitor.call('POST', '/short-link/bulk', { links: links.slice(start, start + 60) });
      const both = await visitor.call('POST', '/short-link', link({ tags: ['flyer', 'print'] }));
      await visitor.call('POST', `/short-link/${both.id}/archive`);
      await page.reload();
      await page.getByRole('row', { name: /print/ }).getByText('121', { exact: true }).waitFor();
      await visitor.open('/links');
      await visitor.click('button', 'State');
      await page.getByRole('menuitem', { name: 'Archived' }).getByText('1', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await visitor.click('button', 'Tag');
      await page.getByRole('menuitem', { name: 'flyer' }).getByText('1', { exact: true }).waitFor();
      // Of 61 tags the first 50 are there, and the search finds the others.
      for (let tag = 0; tag < 59; tag += 1) await visitor.call('POST', '/tag', { name: `later-${tag}` });
      await page.reload();
      await visitor.click('button', 'Tag');
      await page.getByText('11 more: type to find them').waitFor();
      expect(await page.getByRole('menuitem', { name: 'flyer' }).count()).toBe(0);
      await visitor.focused('Search: Tag');
      await visitor.type('FLY');
      await page.getByRole('menuitem', { name: 'flyer' }).waitFor();
      await visitor.press('Enter');
      await page.getByRole('list', { name: 'Filters' }).getByText('Tag: flyer').waitFor();
      await stack.db.query(`delete from tags where name like 'later-%'`);
      await visitor.open('/tags');

      await take(visitor, 'print', 'Rename or recolour');
      await visitor.click('button', /Colour/);
      await visitor.click('option', 'Amber');
      await visitor.click('button', 'Save');
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await visitor.call('GET', '/tag/list?search=print')).data[0].color).toMatch(/^#d97706$/i);

      visitor.restart();
      await take(visitor, 'print', 'Merge into another tag');
      await page.getByText('121 links get the other tag in its place, archived ones too.').waitFor();
      await page.locator('input[role=combobox]:focus').waitFor();
      await visitor.type('flyer');
      await page.getByRole('option', { name: 'flyer' }).waitFor();
      await visitor.press('Enter');
      await page.getByText('Merged “print” into “flyer”').waitFor();
      expect(visitor.actions()).toBe(4);
      expect(await namesOf(visitor, 'tag')).toEqual(['flyer']);
      expect((await visitor.call('GET', '/short-link/count?tagNames=flyer')).count).toBe(120);
      expect((await visitor.call('GET', `/short-link/${both.id}`)).tags).toMatchObject([{ name: 'flyer' }]);

      visitor.restart();
      await take(visitor, 'flyer', 'Delete');
      await page.getByText('121 links lose it and go on redirecting.').waitFor();
      await visitor.click('button', /^Delete$/);
      await page.getByText('Deleted the tag “flyer”').waitFor();
      expect(visitor.actions()).toBe(3);
      expect((await visitor.call('GET', `/short-link/${both.id}`)).tags).toEqual([]);
      expect((await visitor.call('GET', '/short-link/count')).count).toBe(120);
    },
  );

  test('choices that come after what was typed are shown', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    for (const name of ['print', 'flyer']) await visitor.call('POST', '/tag', { name });
    await visitor.open('/tags');
    await page.getByRole('link', { name: 'print' }).waitFor();
    let typed: () => void = () => undefined;
    const isTyped = new Promise<void>((resolve) => (typed = resolve));
    await page.route('**/tag/list*', async (route) => {
      await isTyped;
      await route.continue();
    });
    await take(visitor, 'print', 'Merge into another tag');
    await page.locator('input[role=combobox]:focus').waitFor();
    await visitor.type('flyer');
    expect(await page.getByRole('option').count()).toBe(0);
    typed();
    await page.getByRole('option', { name: 'flyer' }).click();
    await page.getByRole('option').waitFor({ state: 'detached' });
    await visitor.click('button', 'Merge');
    await page.getByText('Merged “print” into “flyer”').waitFor();
  });

  test('a page behind the last one leads back to the last', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    await visitor.call('POST', '/tag', { name: 'print' });
    await visitor.open('/tags?page=7');
    await visitor.click('button', 'To the last page');
    await visitor.page.getByRole('link', { name: 'print' }).waitFor();
    expect(new URL(visitor.page.url()).search).toBe('');
  });

  test(
    'a name that exists already is refused at its field, and what was typed stays',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/409/);
      await visitor.call('POST', '/tag', { name: 'Print' });
      await visitor.open('/tags');
      await visitor.click('button', 'New tag');
      await visitor.focused('Name');
      await visitor.type('PRINT');
      await visitor.press('Enter');
      await visitor.page.getByText('A tag with this name exists already.').waitFor();
      expect(await visitor.page.getByLabel('Name', { exact: true }).inputValue()).toBe('PRINT');
      await expectAccessible(visitor, 'tag-taken');
      await visitor.press('Escape');
      await visitor.page.getByRole('form').waitFor({ state: 'detached' });
      expect(await namesOf(visitor, 'tag')).toEqual(['Print']);
    },
  );

  test('a call that the role does not allow says so, and what was typed stays', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ role: 'member' });
    visitor.expectErrors(/403/);
    const { page } = visitor;
    await visitor.open('/tags');
    await page.route('**/tag', (route) =>
      route.fulfill({
        status: 403,
        json: {
          code: 'ACTION_NOT_ALLOWED',
          message: 'A member may not do this: it takes the permission to create shortLinks.',
          requestId: 'call-1',
        },
      }),
    );
    await visitor.click('button', 'New tag');
    await visitor.focused('Name');
    await visitor.type('summer');
    await visitor.press('Enter');
    await page.getByText('“summer” was not saved. Your role in this organization does not allow this.').waitFor();
    // The id of a call is for errors of the server alone.
    expect(await page.getByText('call-1').count()).toBe(0);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('summer');
  });

  test('a free plan at its limits says so, and what was typed stays', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/403/);
    const { page } = visitor;
    for (const name of ['one', 'two', 'three']) await visitor.call('POST', '/tag', { name });
    await visitor.call('POST', '/folder', { name: 'Spring' });
    await stack.db.query(`update organizations set plan = 'free' where id = $1`, [visitor.organization.id]);
    for (const [path, button, sentence] of [
      ['/tags', 'New tag', '“fourth” was not saved. Your plan allows 3 tags.'],
      ['/folders', 'New folder', '“fourth” was not saved. Your plan allows 1 folder.'],
    ] as const) {
      await visitor.open(path);
      await visitor.click('button', button);
      await visitor.focused('Name');
      await visitor.type('fourth');
      await visitor.press('Enter');
      await page.getByText(sentence).waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('fourth');
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    }
    await expectAccessible(visitor, 'folders-at-the-limit');
  });
});
