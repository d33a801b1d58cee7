// @module-tag process

import { afterAll, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createPerson } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const reason = 'Your role in this organization does not allow this';

/** Names of the disabled controls that are shown and tell no reason. */
const unexplained = ({ page }: Visitor): Promise<string[]> =>
  page.locator('main :is(button, input, textarea):disabled').evaluateAll((controls) =>
    controls
      .filter((control) => control.checkVisibility() && !control.hasAttribute('aria-describedby'))
      // A zone for dropped files has an unseen button, by which files are pasted, beside one that tells the reason.
      .filter((control) => control.localName !== 'button' || control.parentElement!.clientWidth > 1)
      .map((control) => control.getAttribute('aria-label') ?? (control.textContent || control.id)),
  );

describeFlows('a role that may only read in the console', () => {
  const stack = useConsoleStack();
  afterAll(() => stack.receivers.stop());
  const visit = useVisitors(stack);

  test('a person whose role may only read finds the reason on each control', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ role: 'member' });
    const { page } = visitor;
    const domain = await visitor.call('POST', '/domain', { domain: 'go.read.example' });
    const port = await stack.receivers.https((_request, response) => response.writeHead(204).end());
    const url = `https://127.0.0.1:${port}/waymark`;
    const webhook = await visitor.call('POST', '/webhook', { url, events: ['link.created'], name: 'Read only' });
    await visitor.call('POST', `/webhook/${webhook.id}/test`);
    await visitor.call('POST', '/tag', { name: 'print' });
    const file = (name: string): string => `link,long_url\nhttps://bit.ly/${name},https://example.com/${name}`;
    await visitor.open('/imports');
    await visitor.drop('bitly.csv', file('read'));
    await visitor.click('button', 'Start');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const path = (): string => new URL(page.url()).pathname.replace('/console', '');

    await visitor.limitTo({ domains: ['read'], files: ['read'], shortLinks: ['read'], webhooks: ['read'] });
    const controls: Record<string, string[]> = {
      [path()]: ['Undo'],
      '/imports': ['Import a file'],
      [`/domains/${domain.id}`]: ['Check now', 'Delete the domain'],
      [`/webhooks/${webhook.id}`]: ['Send a test', 'Edit'],
      '/folders': ['New folder'],
      '/tags': ['New tag'],
      '/files': ['Choose files'],
      '/imports/new': ['Choose a file'],
    };
    for (const [place, names] of Object.entries(controls)) {
      await visitor.open(place);
      for (const name of names) {
        const button = page.getByRole('button', { name, disabled: true }).first();
        await button.waitFor();
        // By keys: what is focused by other means shows no hint. A page that is still being loaded may take the focus away.
        await eventually(async () => {
          await page.keyboard.press('Tab');
          await button.focus();
          return page
            .getByRole('tooltip', { name: reason })
            .waitFor({ timeout: 5_000 })
            .then(
              () => true,
              () => false,
            );
        });
      }
      if (place.startsWith('/domains/')) await expectAccessible(visitor, 'domain-read-only');
    }
    await visitor.drop('more.csv', file('more'));
    expect(path()).toBe('/imports/new');
    await page.getByText('Drop a file of links here').waitFor();

    await visitor.open(`/webhooks/${webhook.id}`);
    await visitor.click('link', 'Test');
    await page.getByRole('button', { name: 'Send again', disabled: true }).waitFor();

    await visitor.open('/tags');
    await visitor.click('button', 'Actions for print');
    for (const name of ['Rename or recolour', 'Merge into another tag', 'Delete'])
      await page.getByRole('menuitem', { name, disabled: true }).waitFor();
    await page.getByText(`${reason}.`).first().waitFor();
    await expectAccessible(visitor, 'tags-read-only');

    const { id } = await visitor.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com/' },
    });
    const pages = [`/domains/${domain.id}`, '/files', `/links/${id}/edit`, `/links/${id}/qr`];
    const ofMembers = ['/settings/organization', '/settings/people'];
    for (const place of [...pages, ...ofMembers]) {
      await visitor.open(place);
      await visitor.loaded();
      expect({ place, unexplained: await unexplained(visitor) }).toEqual({ place, unexplained: [] });
    }
  });

  test('an admin reads why the role of an owner is not theirs to change', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ role: 'admin' });
    const { page, organization } = visitor;
    await createPerson(stack.db, { [organization.id]: 'owner' });
    await visitor.open('/settings/people');
    await page.getByText('Only an owner changes the role of an owner.').waitFor();
    expect(await unexplained(visitor)).toEqual([]);
    await expectAccessible(visitor, 'people-of-admin');
  });
});
