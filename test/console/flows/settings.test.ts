// @module-tag process

import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createPerson, testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

describeFlows('settings in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** Signs a person in as from another browser. @returns its cookie. */
  async function signInByPhone(email: string): Promise<string> {
    const answer = await fetch(`${stack.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': phone, origin: stack.url },
      body: JSON.stringify({ email, password: testPassword }),
    });
    expect(answer.status).toBe(200);
    return /^[^;]*/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';
  }

  const isSignedIn = async (cookie: string): Promise<boolean> =>
    (await fetch(`${stack.url}/auth/session`, { headers: { cookie } })).status === 200;

  test(
    'plan and usage are shown, what visitors of dangerous links get is chosen, and the organization renamed',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await visitor.call('POST', '/folder', { name: 'Counted' });
      await visitor.open('/links');
      await visitor.click('link', 'Settings');
      const usage = page.getByRole('region', { name: 'Usage' });
      await usage.getByText('Folders').waitFor();
      await usage
        .getByText(/^\d+ of \d+$/)
        .first()
        .waitFor();
      await expectAccessible(visitor, 'settings-organization');
      const dangerous = page.getByRole('region', { name: 'Links to dangerous pages' });
      const policy = async (): Promise<string> => (await visitor.call('GET', '/organization')).threatPolicy;
      const before = await policy();
      const choice = dangerous.getByRole('button', { name: /Links to dangerous pages/ });
      await choice.focus();
      await visitor.press('ArrowRight');
      await dangerous.getByRole('button', { name: 'Save', disabled: false }).waitFor();
      expect(await policy()).toBe(before);
      await choice.click();
      await page.getByRole('option', { name: 'A page that refuses' }).click();
      await dangerous.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await policy()).toBe('block');
      const named = page.getByRole('region', { name: 'Name of the organization' });
      await named.getByRole('textbox').fill('Ada & Co');
      await named.getByRole('button', { name: 'Save' }).click();
      const renamed = () => visitor.call('GET', '/organization').then(({ name }) => name === 'Ada & Co');
      expect(await eventually(renamed)).toBe(true);
    },
  );

  test(
    'the audit log says who did what, is filtered by the address, and is a file of its own',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, organization } = visitor;
      await visitor.call('POST', '/webhook', { url: 'https://hooks.example.com/', events: ['link.created'] });
      await visitor.call('POST', '/domain', { domain: `audit-${Date.now()}.example.com` });
      await visitor.open('/settings/audit');
      const lines = page.getByRole('region', { name: 'Audit log' }).getByRole('listitem');
      await lines.filter({ hasText: 'added a domain' }).waitFor();
      await lines.filter({ hasText: 'made a webhook' }).waitFor();
      await expectAccessible(visitor, 'settings-audit');
      await page.getByRole('button', { name: /About/ }).click();
      await page.getByRole('option', { name: 'Webhooks' }).click();
      await page.waitForURL('**/settings/audit?category=webhooks');
      await lines.filter({ hasText: 'added a domain' }).waitFor({ state: 'detached' });
      await lines.filter({ hasText: 'made a webhook' }).waitFor();
      expect(await lines.count()).toBe(1);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export as CSV' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('audit.csv');
      const { rows } = await stack.db.query('select action from audit_log where organization_id = $1 order by id', [
        organization.id,
      ]);
      expect(rows.map(({ action }) => action)).toEqual(['webhook.created', 'domain.created', 'export.audit']);
    },
  );

  test('the role of a member is changed, and the last owner cannot be lost', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/4\d\d/);
    const { page, organization, person } = visitor;
    await createPerson(stack.db, { [organization.id]: 'member' }, { email: 'grace@example.com' });
    await visitor.open('/settings/people');
    await page.getByText('grace@example.com · joined').waitFor();
    await expectAccessible(visitor, 'settings-people');
    const row = page.getByRole('listitem').filter({ hasText: 'grace@example.com' });
    await row.getByRole('button', { name: 'Role of Ada' }).click();
    await page.getByRole('option', { name: 'Admin' }).click();
    await page
      .getByRole('alertdialog', { name: /Change the role of Ada .*to Admin\?/ })
      .getByRole('button', { name: 'Change the role' })
      .click();
    await page.getByText('The role of Ada is changed').waitFor();
    const { rows } = await stack.db.query<{ role: string }>(
      `select m.role from memberships m join users u on u.id = m.user_id where u.email = 'grace@example.com'`,
    );
    expect(rows).toEqual([{ role: 'admin' }]);
    await page.getByRole('listitem').filter({ hasText: person.email }).getByRole('button').click();
    await page.getByRole('option', { name: 'Member' }).click();
    const question = page.getByRole('alertdialog', { name: /Change the role of .* to Member\?/ });
    await question.getByText('You lose at once').waitFor();
    await expectAccessible(visitor, 'settings-own-role');
    await question.getByRole('button', { name: 'Change the role' }).click();
    await page.getByText('The change was not saved.').waitFor();
  });

  test('a member reads why the people are not shown', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ role: 'member' });
    await visitor.open('/settings/people');
    await visitor.page.getByText('Owners and admins of the organization see its people.').waitFor();
    for (const name of ['Invite a person', 'Transfer the ownership'])
      await visitor.page.getByRole('button', { name, disabled: true }).waitFor();
    await visitor.open('/settings/organization');
    await visitor.page.getByRole('region', { name: 'Usage' }).waitFor();
    await visitor.page.getByText('Owners and admins of the organization see the provider.').waitFor();
    await expectAccessible(visitor, 'settings-member');
    expect(await visitor.page.getByRole('button', { name: /Links to dangerous pages/ }).isDisabled()).toBe(true);
  });

  test('the person changes name and password, and a stolen session is ended', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/400/);
    const { page, person } = visitor;
    const stolen = await signInByPhone(person.email);
    await visitor.open('/settings/devices');
    await page.getByText('Safari on iOS').waitFor();
    await page.getByText('this browser').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'this browser' })
      .getByText('in use now', { exact: false })
      .waitFor();
    await page.getByText('last used this hour', { exact: false }).waitFor();
    await expectAccessible(visitor, 'settings-devices');
    await visitor.click('button', 'Sign out Safari on iOS');
    await page.getByText('Safari on iOS').waitFor({ state: 'detached' });
    expect(await isSignedIn(stolen)).toBe(false);

    await visitor.click('link', 'You');
    await page.getByLabel('Your name').fill('Grace Hopper');
    await visitor.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    await expectAccessible(visitor, 'settings-you');
    const other = await signInByPhone(person.email);
    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password').fill('a new and longer password');
    await visitor.click('button', 'Change the password');
    await page.getByText('is not the current password').waitFor();
    await page.getByLabel('Current password').fill(testPassword);
    await visitor.click('button', 'Change the password');
    await page.getByText('The password is changed').waitFor();
    expect(await isSignedIn(other)).toBe(false);
    await page.reload();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Grace Hopper');
  });
});
