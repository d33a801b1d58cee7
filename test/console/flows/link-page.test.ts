// @module-tag process

import { expect, test } from 'vitest';
import { describeFlows, expectAccessible, openTagsOfNewLink, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// What the page of a link tells.

describeFlows('the page of a link in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (more: object = {}) => ({ destination: { type: 'link', value: 'https://example.com/' }, ...more });

  test('it tells what each visitor gets, where the link leads after its end, and the lines of its note', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', {
      ...link({
        notes: 'first line\nsecond line',
        utmSource: 'newsletter',
        expiresAt: '2031-12-01T12:00:00.000Z',
        expiredUrl: 'https://example.com/over',
      }),
      rules: [
        {
          priority: 0,
          countries: ['DE'],
          languages: null,
          osTypes: null,
          destination: { type: 'link', value: 'https://example.de/' },
        },
      ],
    });
    await visitor.open(`/links/${made.id}`);
    const meet = page.getByRole('region', { name: 'What visitors meet' });
    await meet.getByText('utm_source=newsletter').nth(1).waitFor();
    expect(await meet.getByRole('listitem').first().textContent()).toContain(
      'https://example.de/?utm_source=newsletter',
    );
    await page.getByText('visitors are then led to https://example.com/over', { exact: false }).waitFor();
    const note = page.getByText('first line', { exact: false });
    expect(await note.evaluate((element) => getComputedStyle(element).whiteSpaceCollapse)).toBe('preserve-breaks');
    await expectAccessible(visitor, 'link-rules');
  });

  test('the page of an archived link offers to restore it', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', link());
    await visitor.call('PATCH', `/short-link/${made.id}`, { isArchived: true });
    await visitor.open(`/links/${made.id}`);
    await page.getByText('Archived', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Switch off' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Open it' }).count()).toBe(0);
    await expectAccessible(visitor, 'link-archived');
    await visitor.click('button', 'Restore');
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    expect((await visitor.call('GET', `/short-link/${made.id}`)).isArchived).toBe(false);
  });

  test('the way back to a link that was deleted finds none', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    visitor.expectErrors(/404/);
    const made = await visitor.call('POST', '/short-link', link());
    await visitor.open('/links');
    await page.locator(`[data-link="${made.id}"], [data-link]`).first().waitFor();
    await visitor.open(`/links/${made.id}`);
    await visitor.click('button', 'Actions');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await visitor.focused('Paste an address');
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('On', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Switch off' }).count()).toBe(0);
  });

  test(
    'sections of a link that is edited count what is set, and a button names the tag that it removes',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const made = await visitor.call(
        'POST',
        '/short-link',
        link({ tags: ['spring'], password: 'secret', maxClicks: 9 }),
      );
      await visitor.open(`/links/${made.id}/edit`);
      await page.getByRole('button', { name: 'Organize 1 set' }).waitFor();
      await page.getByRole('button', { name: 'Limits 2 set' }).waitFor();
      expect(await page.getByRole('button', { name: / set$/ }).count()).toBe(2);
      await visitor.click('button', 'Organize 1 set');
      // The list of folders opens with its section, and hides what is around it.
      await page.getByRole('option').first().waitFor();
      await visitor.press('Escape');
      await visitor.click('button', 'Remove the tag spring');
      await page.getByRole('button', { name: 'Organize', exact: true }).waitFor();
    },
  );

  test('Escape in the open list of tags closes the list alone', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.call('POST', '/short-link', link({ tags: ['spring'] }));
    const tags = await openTagsOfNewLink(visitor);
    await tags.click();
    await page.getByRole('option', { name: 'spring' }).waitFor();
    await visitor.press('Escape');
    await page.getByRole('option', { name: 'spring' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog', { name: 'New link' }).count()).toBe(1);
  });
});
