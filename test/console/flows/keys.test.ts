// @module-tag process

import { expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { createPerson, createUserKey } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const link = { destination: { type: 'link', value: 'https://example.com/' } };

describeFlows('API keys in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  async function status(key: string, method: string, path: string, body?: object): Promise<number> {
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
    return (await fetch(`${stack.url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })).status;
  }

  /** The value that the dialog shows, which it closes. */
  async function takeValue({ page, click }: Visitor): Promise<{ key: string; command: string }> {
    await page.getByText('Copy the key now').waitFor();
    const key = (await page.getByText(/^wm_live_/).innerText()).trim();
    const command = await page
      .getByText(/^curl /)
      .first()
      .innerText();
    await click('button', 'Done');
    return { key, command };
  }

  /** Calls what a command of the page calls. */
  async function tryOut(command: string): Promise<number> {
    const [, key = '', url = ''] = /^curl -H 'x-api-key: (\S+)' '(\S+)'$/.exec(command.trim()) ?? [];
    return (await fetch(url, { headers: { 'x-api-key': key } })).status;
  }

  test(
    'a key for a program is made with chosen permissions, works, is changed and revoked',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await visitor.open('/settings/keys');
      await page.getByText('Test key').waitFor();
      await visitor.click('button', 'New key');
      await visitor.focused('Name');
      await visitor.type('Newsletter');
      await page.getByText('create', { exact: true }).first().click();
      await expectAccessible(visitor, 'settings-key-new');
      await visitor.click('button', 'Make the key');
      await page.getByText('Copy the key now').waitFor();
      await expectAccessible(visitor, 'settings-key-once');
      const { key, command } = await takeValue(visitor);
      expect(await tryOut(command)).toBe(200);
      expect(await status(key, 'POST', '/short-link', link)).toBe(201);
      expect(await status(key, 'POST', '/domain', { domain: 'go.key.example' })).toBe(403);
      await visitor.click('button', 'Edit the key Newsletter');
      await visitor.click('button', 'Read everything');
      await visitor.click('button', 'Save');
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await status(key, 'POST', '/short-link', link)).toBe(403);
      await page.reload();
      await page.getByText(/, from 127\.0\.0\.1$/).waitFor();
      await visitor.click('button', 'Revoke the key Newsletter');
      await page.getByText(/^Last used: .*, from 127\.0\.0\.1$/).waitFor();
      await expectAccessible(visitor, 'settings-key-revoke');
      await visitor.click('button', /^Revoke$/);
      await page.getByText('The key Newsletter is revoked').waitFor();
      expect(await status(key, 'GET', '/organization')).toBe(401);
    },
  );

  test(
    'a key gets an end, addresses, a folder and a domain, and mistakes are said beside their fields',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/400/);
      const { page, organization } = visitor;
      const folder = await visitor.call('POST', '/folder', { name: 'Shop' });
      const domain = await createDomain(stack.db, organization.id);
      for (let index = 1; index < 10; index += 1) await visitor.call('POST', '/folder', { name: `Folder ${index}` });
      await visitor.open('/settings/keys');
      await visitor.click('button', 'New key');
      await visitor.focused('Name');
      await visitor.type('Shop');
      await visitor.click('button', 'Everything');
      await visitor.click('button', 'In 30 days');
      const addresses = page.getByLabel('Only from these addresses');
      await addresses.fill('127.0.0.1\n203.0.113.7/24');
      await page.getByLabel('Search: Only links in these folders').fill('sho');
      await page.getByText('Folder 1', { exact: true }).waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: 'Shop' }).press('Space');
      await page.getByRole('checkbox', { name: domain.domain }).press('Space');
      await visitor.click('button', 'Make the key');
      await page.getByText('203.0.113.7/24: has bits behind its prefix: 203.0.113.0/24 is the range').waitFor();
      await expectAccessible(visitor, 'settings-key-limits');
      await addresses.fill('127.0.0.1, 203.0.113.0/24');
      await visitor.click('button', 'Make the key');
      await page.getByText('It works from these addresses alone: 127.0.0.1, 203.0.113.0/24').waitFor();
      const { key, command } = await takeValue(visitor);
      expect(await tryOut(command)).toBe(200);
      expect(await status(key, 'POST', '/short-link', link)).toBe(403);
      const place = { folderId: folder.id, domainId: domain.id };
      expect(await status(key, 'POST', '/short-link', { ...link, ...place })).toBe(201);
      expect(await status(key, 'GET', '/tag/list')).toBe(403);
      await page.getByText(`folders: Shop · domains: ${domain.domain}`).waitFor();
      await page.getByText('127.0.0.1, 203.0.113.0/24').waitFor();
      await expectAccessible(visitor, 'settings-keys');
      // What is not touched stays as it is.
      const read = () =>
        page.evaluate(async () => {
          const { data } = (await (await fetch('/api-key/list')).json()) as { data: { name: string }[] };
          return data.find(({ name }) => name.startsWith('Shop'));
        });
      const before = await read();
      await visitor.click('button', 'Edit the key Shop');
      await page.getByLabel('Name').fill('Shop 2');
      await visitor.click('button', 'Save');
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await read()).toEqual({ ...before, name: 'Shop 2' });
      await stack.db.query(`update api_keys set expires_at = now() + interval '5 days' where name = 'Shop 2'`);
      await visitor.open('/activity');
      await page.getByText('The API key ends').waitFor();
    },
  );

  test(
    'the value of a key is changed, and the value before works for the hours that were chosen',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, organization } = visitor;
      const other = await createPerson(stack.db, { [organization.id]: 'admin' });
      await createUserKey(stack.db, organization.id, other.id);
      await visitor.open('/settings/keys');
      await page.getByText('User key').waitFor();
      const ofAnother = page.getByRole('button', { name: 'Rotate the key User key' });
      expect(await ofAnother.getAttribute('aria-disabled')).toBe('true');
      await visitor.click('button', 'Rotate the key Test key');
      await page.getByRole('button', { name: /The present value works for/ }).click();
      await page.getByRole('option', { name: 'Three more days' }).click();
      await expectAccessible(visitor, 'settings-key-rotate');
      await visitor.click('button', 'Rotate now');
      await page.getByText(/^The value before works until /).waitFor();
      const { key, command } = await takeValue(visitor);
      expect(await tryOut(command)).toBe(200);
      expect(await status(organization.key, 'GET', '/organization')).toBe(200);
      await page.getByText('The value before works until').waitFor();
      await visitor.click('button', 'Rotate the key Test key');
      await page.getByRole('button', { name: /The present value works for/ }).click();
      await page.getByRole('option', { name: 'No longer: it ends at once' }).click();
      await visitor.click('button', 'Rotate now');
      const next = await takeValue(visitor);
      expect(await status(next.key, 'GET', '/organization')).toBe(200);
      expect(await status(key, 'GET', '/organization')).toBe(401);
      expect(await status(organization.key, 'GET', '/organization')).toBe(401);
    },
  );

  test('the rotation of a key that ends soon says so, and that of a key that has ended says why not', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/400/);
    const { page, organization } = visitor;
    const endAt = (end: string) =>
      stack.db.query(`update api_keys set expires_at = ${end} where organization_id = $1`, [organization.id]);
    await endAt(`now() + interval '2 hours'`);
    await visitor.open('/settings/keys');
    await visitor.click('button', 'Rotate the key Test key');
    await page.getByText(/^The key ends on .*, and the present value with it\.$/).waitFor();
    await page.getByRole('button', { name: /The present value works for/ }).click();
    await page.getByRole('option', { name: 'One more hour' }).click();
    await page.getByText('Time to put the new value').waitFor();
    await endAt('now()');
    await visitor.click('button', 'Rotate now');
    await page.getByText('The key has ended, and another value would too: give it a later end first.').waitFor();
    await visitor.click('button', 'Cancel');
    const rotate = page.getByRole('button', { name: 'Rotate the key Test key' });
    await expect.poll(() => rotate.getAttribute('aria-disabled')).toBe('true');
  });

  test('a member reads that owners and admins manage keys', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ role: 'member' });
    await visitor.open('/settings/keys');
    await visitor.page.getByText('Owners and admins of the organization manage its API keys.').waitFor();
    expect(await visitor.page.getByRole('button', { name: 'New key' }).count()).toBe(0);
  });

  test('the page is German for a German browser', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ language: 'de-DE' });
    await visitor.open('/settings/keys');
    await visitor.click('button', 'Neuer Schlüssel');
    await visitor.page.getByText('Nur Links in diesen Ordnern').waitFor();
    expect(await visitor.page.getByText('Only links').count()).toBe(0);
    await expectAccessible(visitor, 'settings-key-german');
  });
});
