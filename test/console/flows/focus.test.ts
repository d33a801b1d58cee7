// @module-tag process

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPerson, openTestSession } from '#test/support/people.ts';
import { describeFlows, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// Keys and screen readers begin at the top of the page where the focus is nowhere, as where the element that had it went away.

// The list is read again, and the page gives the focus a place, some pictures after the last change.
const settledMs = 800;

describeFlows('the focus in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  /** Where the focus is: `body` where it is nowhere. */
  async function place({ page }: Visitor): Promise<string> {
    await setTimeout(settledMs);
    return page.evaluate(() => {
      const { activeElement } = document;
      if (activeElement === null || activeElement === document.body) return 'body';
      return `${activeElement.tagName} ${activeElement.getAttribute('aria-label') ?? activeElement.textContent ?? ''}`;
    });
  }

  /** Things of every kind, two of each: `<kind> 1` goes while another one stays, `<kind> 2` as the last. */
  async function fill(visitor: Visitor): Promise<void> {
    const { call, organization, person, page } = visitor;
    for (const n of [1, 2]) {
      await call('POST', '/folder', { name: `folder ${n}` });
      await call('POST', '/tag', { name: `tag ${n}` });
      await call('POST', '/utm-template', { name: `template ${n}`, utmSource: 'x' });
      await call('POST', '/domain', { domain: `focus-${n}-${Date.now()}.example.com` });
      await call('POST', '/webhook', {
        url: `https://focus-${n}.example.com/`,
        events: ['link.created'],
        name: `hook ${n}`,
      });
      await call('POST', '/short-link', {
        destination: { type: 'link', value: 'https://example.com/' },
        slug: `focus-${n}-${Date.now()}`,
      });
      await createPerson(stack.db, { [organization.id]: 'member' });
      await openTestSession(stack.db, person.id, organization.id);
    }
    await visitor.open('/settings/people');
    await page.evaluate(async () => {
      const post = (path: string, body: object) =>
        fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
      for (const n of [1, 2]) {
        await post('/api-key', { type: 'integration', name: `key ${n}`, permissions: { shortLinks: ['read'] } });
        await post('/organization/invitations', { email: `focus-${n}-${Date.now()}@example.com`, role: 'member' });
      }
    });
  }

  test.each(['keyboard', 'mouse'] as const)(
    'is kept where things are deleted by %s',
    { tags: 'nightly' },
    async (by) => {
      await using visitor = await visit();
      const { page } = visitor;
      // The page of a deleted thing may be read once more.
      visitor.expectErrors(/404/);
      const found: Record<string, string> = {};
      const press = async (role: 'button' | 'menuitem', name: string | RegExp): Promise<void> => {
        const control = page.getByRole(role, { name, exact: true }).first();
        if (by === 'mouse') return control.click();
        await control.focus();
        await page.keyboard.press('Enter');
      };
      const gone = (role: 'button' | 'listitem' | 'row', name: string | RegExp) =>
        page.getByRole(role, { name }).waitFor({ state: 'detached' });
      const answer = async (name: string | RegExp): Promise<void> => {
        const control = page.getByRole('alertdialog').getByRole('button', { name, exact: true });
        if (by === 'mouse') return control.click();
        await control.focus();
        await page.keyboard.press('Enter');
      };
      /** Deletes the `n`th thing of a kind. */
      const steps: Record<string, (n: number) => Promise<void>> = {
        async file(n) {
          if (n === 1) {
            await visitor.open('/files');
            await page
              .locator('input[type=file]')
              .setInputFiles([1, 2].map((one) => ({ name: `file-${one}.png`, mimeType: 'image/png', buffer: png })));
          }
          await press('button', `Delete file-${n}.png`);
          await answer('Delete');
          await gone('button', `Delete file-${n}.png`);
        },
        async domain(n) {
          await visitor.open('/domains');
          await page.getByRole('link', { name: `focus-${n}-` }).click();
          const name = (await page.getByRole('heading', { level: 1, name: `focus-${n}-` }).textContent()) ?? '';
          await press('button', 'Delete the domain');
          await page.getByRole('alertdialog').getByRole('textbox').fill(name);
          await answer('Delete the domain');
          await page.waitForURL(/\/domains$/);
        },
        async webhook(n) {
          await visitor.open('/webhooks');
          await page.getByRole('link', { name: `hook ${n}`, exact: true }).click();
          await press('button', 'More');
          await press('menuitem', 'Delete the webhook');
          await answer('Delete the webhook');
          await page.waitForURL(/\/webhooks$/);
        },
        async key(n) {
          await visitor.open('/settings/keys');
          await press('button', `Revoke the key key ${n}`);
          await answer('Revoke');
          await gone('button', `Revoke the key key ${n}`);
        },
        async invitation(n) {
          await visitor.open('/settings/people');
          await press('button', new RegExp(`Take back the invitation to focus-${n}`));
          await gone('button', new RegExp(`Take back the invitation to focus-${n}`));
        },
        async person() {
          await visitor.open('/settings/people');
          const removing = page.getByRole('button', { name: /^Remove / });
          await removing.first().waitFor();
          const count = await removing.count();
          await press('button', /^Remove /);
          await answer('Remove');
          await expect.poll(() => removing.count()).toBe(count - 1);
        },
        async device() {
          await visitor.open('/settings/devices');
          const ending = page.getByRole('button', { name: /^Sign out .* on / });
          await ending.first().waitFor();
          const count = await ending.count();
          await press('button', /^Sign out .* on /);
          await expect.poll(() => ending.count()).toBe(count - 1);
        },
        async link(n) {
          await visitor.open('/links');
          await press('button', new RegExp(`^Actions.*focus-${n}-`));
          await press('menuitem', 'Delete');
          await answer('Delete');
          await gone('button', new RegExp(`^Actions.*focus-${n}-`));
        },
        async 'filter of links'(n) {
          await visitor.open('/links?state=active,expired');
          await press('button', n === 1 ? 'Remove the filter State: Expired' : 'Clear all');
          await gone('button', 'Remove the filter State: Expired');
        },
        async 'saved view'(n) {
          await visitor.open('/links?state=active,expired');
          await press('button', 'Views');
          await press('menuitem', 'Save these filters as a view');
          await page.getByRole('dialog').getByRole('textbox').fill(`view ${n}`);
          await page.keyboard.press('Enter');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await press('button', new RegExp(`^view ${n}`));
          await press('menuitem', `Remove the view “view ${n}”`);
          await gone('button', `view ${n}`);
        },
        async 'filter of statistics'(n) {
          await visitor.open('/stats?country=DE,FR');
          await press('button', n === 1 ? 'Remove the filter Country: Germany' : 'Clear all');
          await gone('button', 'Remove the filter Country: Germany');
        },
      };
      for (const [kind, where] of [
        ['folder', '/folders'],
        ['tag', '/tags'],
        ['template', '/utm-templates'],
      ] as const)
        steps[kind] = async (n) => {
          await visitor.open(where);
          await press('button', `Actions for ${kind} ${n}`);
          await press('menuitem', 'Delete');
          await answer('Delete');
          await gone('button', `Actions for ${kind} ${n}`);
        };
      await fill(visitor);
      for (const [kind, step] of Object.entries(steps))
        for (const n of [1, 2]) {
          await step(n);
          found[`${kind} ${n}`] = await place(visitor);
        }
      expect(Object.entries(found).filter(([, where]) => where === 'body')).toEqual([]);
    },
  );
});
