// @module-tag process

import { expect, test } from 'vitest';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('UTM templates in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (rest: object = {}) => ({ destination: { type: 'link', value: 'https://example.com/' }, ...rest });

  /** Opens the menu of a row and takes one of its entries. */
  async function take(visitor: Visitor, row: string, entry: string): Promise<void> {
    await visitor.click('button', `Actions for ${row}`);
    await visitor.click('menuitem', entry);
  }

  test('a UTM template is made, changed, copied and deleted', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/409/);
    const { page } = visitor;
    await visitor.open('/utm-templates');
    await page.getByText('No template yet').waitFor();
    await visitor.click('button', 'New template');
    await visitor.focused('Name');
    await visitor.type('Newsletter');
    await visitor.press('Tab');
    await visitor.type('news letter');
    await visitor.press('Tab');
    await visitor.type('email');
    await page.getByText('?utm_source=news%20letter&utm_medium=email').waitFor();
    await expectAccessible(visitor, 'template-form');
    await visitor.press('Enter');
    await page.getByText('Made the template “Newsletter”').waitFor();
    await page.getByRole('button', { name: 'New template' }).and(page.locator(':focus')).waitFor();
    const read = async () => (await visitor.call('GET', '/utm-template/list')).data;
    expect(await read()).toMatchObject([
      { name: 'Newsletter', utmSource: 'news letter', utmMedium: 'email', utmCampaign: null },
    ]);

    await take(visitor, 'Newsletter', 'Edit');
    await visitor.focused('Name');
    await page.getByLabel('Medium').fill('');
    await page.getByLabel('Campaign').fill('spring');
    await visitor.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await read()).toMatchObject([{ name: 'Newsletter', utmMedium: null, utmCampaign: 'spring' }]);

    await take(visitor, 'Newsletter', 'Duplicate');
    await visitor.focused('Name');
    await visitor.type('newsletter');
    await visitor.press('Enter');
    await page.getByText('A template with this name exists already.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Flyer');
    await visitor.press('Enter');
    await page.getByText('Made the template “Flyer”').waitFor();
    await expectAccessible(visitor, 'templates');
    expect(await read()).toMatchObject([
      { name: 'Flyer', utmSource: 'news letter', utmCampaign: 'spring' },
      { name: 'Newsletter' },
    ]);

    visitor.restart();
    await take(visitor, 'Flyer', 'Delete');
    await visitor.click('button', /^Delete$/);
    await page.getByText('Deleted the template “Flyer”').waitFor();
    expect(visitor.actions()).toBe(3);
    expect(await read()).toMatchObject([{ name: 'Newsletter' }]);
  });

  test(
    'a campaign link with a template, the end of the month and a folder takes 8 actions',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const values = { utmSource: 'newsletter', utmMedium: 'email' };
      await visitor.call('POST', '/utm-template', { name: 'Newsletter', ...values });
      const folder = await visitor.call('POST', '/folder', { name: 'Spring' });
      await visitor.call('POST', '/short-link', link());
      await visitor.open('/links');
      await page.locator('[data-link]').first().waitFor();
      await visitor.paste('https://example.com/campaign');
      await visitor.focused('Destination');
      await visitor.click('button', 'UTM values');
      await visitor.click('option', 'Newsletter');
      await page.getByRole('dialog').getByText('2 set').waitFor();
      await page.locator('mark', { hasText: 'utm_source=newsletter' }).waitFor();
      await visitor.click('button', 'Limits');
      await visitor.click('button', 'End of the month');
      await visitor.click('button', 'Organize');
      await visitor.click('option', 'Spring');
      await visitor.press('Enter');
      await page.getByText('is made and copied').waitFor();
      expect(visitor.actions()).toBe(8);
      const [made] = (await visitor.call('GET', '/short-link/list')).data;
      expect(await visitor.call('GET', `/short-link/${made.id}`)).toMatchObject({
        ...values,
        utmCampaign: null,
        folderId: folder.id,
        expiresAt: expect.any(String),
        destination: { value: 'https://example.com/campaign' },
      });
    },
  );
});
