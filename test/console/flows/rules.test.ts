// @module-tag process

import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

describeFlows('rules in the editor', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  async function locationFor(url: string, userAgent: string, language: string): Promise<string | null> {
    const headers = { 'user-agent': userAgent, 'accept-language': language };
    return (await fetch(url, { redirect: 'manual', headers })).headers.get('location');
  }

  /** The row of the table of visitors with a name. */
  const row = ({ page }: Visitor, name: string) => page.getByRole('row', { name });

  test(
    'a rule by language and system takes 7 actions, and the real edge answers as the simulator said',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await visitor.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
      await visitor.open('/links');
      await page.locator('[data-link]').first().waitFor();
      await visitor.press('c');
      await visitor.focused('Destination');
      await visitor.type('https://example.com/all');
      await visitor.click('button', 'Rules');
      await visitor.click('button', 'Add a rule');
      await page.getByRole('checkbox', { name: 'iOS' }).focus();
      await visitor.press('Space');
      await page.getByLabel('Leads to').focus();
      await visitor.type('https://example.com/app');
      await row(visitor, 'iPhone in Germany').getByText('https://example.com/app').waitFor();
      await row(visitor, 'Windows in Brazil').getByText('https://example.com/all').waitFor();
      await expectAccessible(visitor, 'rules');
      await visitor.press('Control+Enter');
      await page.getByText('is made and copied').waitFor();
      expect(visitor.actions()).toBe(7);
      const url = await visitor.clipboard();
      expect(await locationFor(url, iphone, 'de')).toBe('https://example.com/app');
      expect(await locationFor(url, windows, 'pt-BR')).toBe('https://example.com/all');
    },
  );

  test(
    'the simulator tells which condition fails, and follows the order of the rules',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const leadsTo = (value: string) => ({ destination: { type: 'link', value } });
      const made = await visitor.call('POST', '/short-link', {
        ...leadsTo('https://example.com/all'),
        rules: [
          { priority: 0, countries: ['DE'], ...leadsTo('https://example.com/de') },
          { priority: 1, languages: ['de'], ...leadsTo('https://example.com/german') },
        ],
      });
      await visitor.open(`/links/${made.id}/edit`);
      await visitor.focused('Destination');
      await row(visitor, 'iPhone in Germany').getByText('https://example.com/de').waitFor();
      await visitor.click('button', 'Try another visitor');
      await page.getByLabel('Language', { exact: true }).fill('de-AT');
      await page.getByRole('combobox', { name: 'From' }).fill('Austria');
      await visitor.press('Tab');
      await page.getByText('does not match: country').waitFor();
      await page.getByText('Led to https://example.com/german').waitFor();
      await visitor.click('button', 'Rules');
      await visitor.click('button', 'Move rule 2 up');
      await row(visitor, 'iPhone in Germany').getByText('https://example.com/german').waitFor();
      await expectAccessible(visitor, 'simulator');
      await visitor.press('Control+Enter');
      await page
        .getByText(/^Saved/)
        .first()
        .waitFor();
      const { rules } = await visitor.call('GET', `/short-link/${made.id}`);
      await visitor.open(`/links/${made.id}`);
      const sentences = page.getByRole('region', { name: 'What visitors meet' }).getByRole('listitem');
      await sentences.first().waitFor();
      expect(await sentences.locator('strong').allTextContents()).toEqual([
        'In German',
        'From Germany',
        'Everyone else',
      ]);
      expect(rules.map(({ destination }: { destination: { value: string } }) => destination.value)).toEqual([
        'https://example.com/german',
        'https://example.com/de',
      ]);
    },
  );

  test(
    'a rule that the API refuses shows the reason at its field, a hidden one the rule that hides it, and nothing is lost',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      visitor.expectErrors(/400/);
      await visitor.open('/links?new=https://example.com/kept');
      await visitor.focused('Destination');
      await visitor.click('button', 'Rules');
      await visitor.click('button', 'Add a rule');
      await visitor.press('Control+Enter');
      await eventually(
        () => page.getByLabel('Leads to').getAttribute('aria-invalid'),
        (invalid) => invalid === 'true',
      );
      await page.getByLabel('Leads to').fill('https://example.com/one');
      await visitor.click('button', 'Add a rule');
      await page.getByLabel('Leads to').fill('https://example.com/two');
      await page
        .getByText(/rule 1/i)
        .first()
        .waitFor();
      expect(await page.getByLabel('Destination', { exact: true }).inputValue()).toBe('https://example.com/kept');
      expect((await visitor.call('GET', '/short-link/list')).count).toBe(0);
    },
  );
});
