// @module-tag process

import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createPerson, createUserKey, joinOrganization, testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// People come into an organization by a mail, change roles, and leave.

describeFlows('people in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** The address in the mail to somebody. */
  async function linkTo(email: string): Promise<string> {
    const link = (): string | undefined => {
      const mail = stack.mails.findLast((one) => one.includes(`To: ${email}`)) ?? '';
      // Lines of a mail are at most 76 characters long.
      return /http:\/\/\S+\/console\/join#token=[\w-]{64}/.exec(
        mail.replaceAll('=\r\n', '').replaceAll('=3D', '='),
      )?.[0];
    };
    await eventually(() => Promise.resolve(link() !== undefined));
    return link() ?? '';
  }

  test(
    'from an invitation to the first link: the mail is opened, the person joins and shortens an address',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, organization } = visitor;
      visitor.expectErrors(/401/);
      const email = `grace-${Date.now()}@example.com`;
      await visitor.open('/settings/people');
      await visitor.click('button', 'Invite a person');
      await visitor.focused('E-mail');
      await expectAccessible(visitor, 'people-invite');
      await visitor.type(email);
      await visitor.press('Enter');
      await page.getByText(`${email} is invited`).waitFor();
      const row = page.getByRole('region', { name: 'Invitations' }).getByRole('listitem').filter({ hasText: email });
      await row.getByText('mailed', { exact: false }).waitFor();
      await expectAccessible(visitor, 'people-invitations');

      // The invited person, who is signed in nowhere.
      await page.context().clearCookies();
      await page.goto(await linkTo(email));
      await page.getByText('invites you as member', { exact: false }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await visitor.focused('Your name');
      await expectAccessible(visitor, 'join');
      await visitor.type('Grace Hopper');
      await page.getByLabel('Password', { exact: true }).fill('a new long password');
      await visitor.press('Enter');
      await visitor.focused('Paste an address');
      await visitor.paste('https://example.com/first');
      await visitor.press('Enter');
      await page.getByText('is made and copied').waitFor();
      const { rows } = await stack.db.query(
        `select m.role from memberships m join users u on u.id = m.user_id where u.email = $1 and m.organization_id = $2`,
        [email, organization.id],
      );
      expect(rows).toEqual([{ role: 'member' }]);
    },
  );

  test(
    'an invited person who has an account joins by one button, or by the password',
    { tags: 'nightly' },
    async () => {
      await using host = await visit();
      await using guest = await visit();
      guest.expectErrors(/401/);
      await host.open('/settings/people');
      await host.click('button', 'Invite a person');
      await host.focused('E-mail');
      await host.type(guest.person.email);
      await host.press('Enter');
      await guest.page.goto(await linkTo(guest.person.email));
      await guest.page.getByRole('button', { name: 'Join as Ada' }).waitFor();
      await expectAccessible(guest, 'join-signed-in');
      await guest.page.context().clearCookies();
      await guest.page.goto('about:blank');
      await guest.page.goto(await linkTo(guest.person.email));
      await guest.focused('Password');
      await guest.type('a wrong password');
      await guest.press('Enter');
      await guest.page.getByText('The password of your account is wrong.').waitFor();
      await guest.page.getByLabel('Password', { exact: true }).fill(testPassword);
      await guest.press('Enter');
      await guest.focused('Paste an address');
      const { rows } = await stack.db.query('select organization_id from memberships where user_id = $1', [
        guest.person.id,
      ]);
      expect(rows.map((row) => row.organization_id)).toContain(host.organization.id);
    },
  );

  test('a role that was not changed is said until it is, whatever becomes of the role of another', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    for (const name of ['Bert', 'Cora']) {
      const person = await createPerson(stack.db, { [visitor.organization.id]: 'member' });
      await stack.db.query('update users set name = $1 where id = $2', [name, person.id]);
    }
    await visitor.open('/settings/people');
    let calls = 0;
    await page.route('**/organization/members/*', (route, request) => {
      calls += request.method() === 'PATCH' ? 1 : 0;
      return calls === 1 ? route.abort() : route.continue();
    });
    for (const name of ['Bert', 'Cora']) {
      await visitor.click('button', new RegExp(`Role of ${name}`));
      await visitor.click('option', 'Admin');
      await visitor.click('button', 'Change the role');
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    }
    await page.getByText('The role of Cora is changed').waitFor();
    await page.getByText('The role of Bert was not changed.').waitFor();
    await visitor.click('button', 'Try again');
    await page.getByText('The role of Bert is changed').waitFor();
    expect(await page.getByText('was not changed').count()).toBe(0);
  });

  test('a person who is removed by a call whose answer got lost is not said to stay', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    const person = await createPerson(stack.db, { [visitor.organization.id]: 'member' });
    await stack.db.query('update users set name = $1 where id = $2', ['Anna', person.id]);
    await visitor.open('/settings/people');
    let calls = 0;
    await page.route('**/organization/members/*', async (route) => {
      calls += 1;
      if (calls > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await visitor.click('button', 'Remove Anna');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Anna is removed').waitFor();
    expect(await page.getByText('Anna was not removed').count()).toBe(0);
  });

  test('an invitation to another address is another one, whatever became of the first', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    await visitor.open('/settings/people');
    let calls = 0;
    await page.route('**/organization/invitations', async (route, request) => {
      calls += request.method() === 'POST' ? 1 : 0;
      if (request.method() !== 'POST' || calls > 5) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await visitor.click('button', 'Invite a person');
    await page.getByLabel('E-mail').fill('first@example.com');
    await visitor.press('Enter');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByLabel('E-mail').fill('second@example.com');
    await visitor.press('Enter');
    await page.getByRole('dialog', { name: 'Invite a person' }).waitFor({ state: 'detached' });
    const emails = page.getByRole('listitem').getByRole('strong');
    expect(await emails.allTextContents()).toEqual(expect.arrayContaining(['first@example.com', 'second@example.com']));
  });

  test('an owner removes a person, after a question', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, organization } = visitor;
    const email = `leaver-${Date.now()}@example.com`;
    const member = await createPerson(stack.db, { [organization.id]: 'member' }, { email });
    await stack.db.query(`update users set name = 'Leaver' where id = $1`, [member.id]);
    await stack.db.query(
      `insert into invitations (id, organization_id, email, role, outcome, created_at, expires_at, mail_wanted_at, ended_at)
       values (gen_random_uuid(), $1, $2, 'member', 'accepted', now(), now(), now(), now())`,
      [organization.id, email],
    );
    await visitor.open('/settings/people');
    await visitor.click('button', 'Remove Leaver');
    const question = page.getByRole('alertdialog');
    await question.getByText('Remove Leaver from the organization?').waitFor();
    await expectAccessible(visitor, 'people-remove');
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Leaver is removed').waitFor();
    await page.getByRole('listitem').filter({ hasText: email }).getByText('Joined, no member any more').waitFor();
    const { rowCount } = await stack.db.query('select from memberships where user_id = $1', [member.id]);
    expect(rowCount).toBe(0);
  });

  test(
    'a person whom a provider signed in signs in by the password to reach the other organizations',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, person, organization } = visitor;
      const other = await createOrganization(stack.db);
      await joinOrganization(stack.db, person.id, other.id, 'member');
      await stack.db.query(`update organizations set name = 'Elsewhere Ltd' where id = $1`, [other.id]);
      const { domain } = await createDomain(stack.db, organization.id);
      await stack.db.query(
        `insert into oidc_providers (organization_id, issuer, client_id, client_secret_sealed, email_domain, created_at, updated_at)
       values ($1, 'https://login.example.com', 'waymark', '', $2, now(), now())`,
        [organization.id, domain],
      );
      await stack.db.query('update sessions set is_by_provider = true where user_id = $1', [person.id]);
      await visitor.open('/links');
      await visitor.click('button', 'Your account');
      await page.getByRole('menuitem', { name: 'Switch organization' }).click();
      const dialog = page.getByRole('dialog', { name: 'Sign in yourself' });
      await dialog.getByLabel('Password', { exact: true }).fill(testPassword);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      await visitor.click('button', 'Your account');
      await page.getByRole('menuitem', { name: 'Elsewhere Ltd' }).waitFor();
      const { rows } = await stack.db.query('select is_by_provider as bound from sessions where user_id = $1', [
        person.id,
      ]);
      expect(rows).toEqual([{ bound: false }]);
    },
  );

  test('a person who was removed reads so where they sign in again', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ role: 'member' });
    const { page, person, organization } = visitor;
    visitor.expectErrors(/40[13]/);
    await visitor.open('/links');
    await visitor.focused('Paste an address');
    await stack.db.query('delete from memberships where user_id = $1', [person.id]);
    const { rows } = await stack.db.query<{ name: string }>('select name from organizations where id = $1', [
      organization.id,
    ]);
    await visitor.open('/links');
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await visitor.press('Enter');
    await page.getByText(`You are not a member of ${rows[0]?.name ?? ''} any more.`).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
  });

  test(
    'a refused invitation says why at its field or in the dialog, until one works',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, organization } = visitor;
      visitor.expectErrors(/4(?:0[09]|29)/);
      const member = await createPerson(stack.db, { [organization.id]: 'member' });
      await visitor.open('/settings/people');
      await visitor.click('button', 'Invite a person');
      await visitor.focused('E-mail');
      await visitor.type(member.email);
      // The list that is read again after the refusal never comes: the form takes the next Enter all the same.
      await page.route(/\/organization\/invitations\?/, () => {});
      await visitor.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByText(`${member.email} is a member already.`).waitFor();
      expect(await page.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');
      const refused = page.getByText('Nobody was invited.', { exact: false });
      expect(await refused.count()).toBe(0);
      const email = `right-${Date.now()}@example.com`;
      const message = 'At most 50 invitations are mailed in a day.';
      await page.route('**/organization/invitations', (route) =>
        route.fulfill({ status: 429, json: { code: 'RATE_LIMIT_EXCEEDED', message, requestId: 'call-1' } }),
      );
      await page.getByLabel('E-mail').fill(email);
      await visitor.press('Enter');
      await dialog.getByRole('alert').getByText(`Nobody was invited. ${message}`).waitFor();
      await expectAccessible(visitor, 'people-invite-refused');
      // What a person has closed is no message of the page.
      await visitor.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await refused.count()).toBe(0);
      await visitor.click('button', 'Invite a person');
      await page.getByLabel('E-mail').fill(email);
      await visitor.press('Enter');
      await refused.waitFor();
      await page.unroute('**/organization/invitations');
      await page.getByLabel('E-mail').fill(email);
      await visitor.press('Enter');
      await page.getByText(`${email} is invited`).waitFor();
      expect(await refused.count()).toBe(0);
    },
  );

  test('a link that was taken back says so', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    visitor.expectErrors(/400/);
    const email = `revoked-${Date.now()}@example.com`;
    await visitor.open('/settings/people');
    await visitor.click('button', 'Invite a person');
    await visitor.focused('E-mail');
    await visitor.type(email);
    await visitor.press('Enter');
    const link = await linkTo(email);
    await visitor.click('button', `Take back the invitation to ${email}`);
    await page.getByText('Taken back', { exact: true }).waitFor();
    await page.goto(link);
    await page.getByText('This invitation does not work any more', { exact: false }).waitFor();
    await expectAccessible(visitor, 'join-ended');
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test(
    'a role that is changed while the person is signed in ends their session; they sign in over the page, with fewer rights',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit({ role: 'admin' });
      const { page, organization, person } = visitor;
      visitor.expectErrors(/40[13]/);
      const owner = await createPerson(stack.db, { [organization.id]: 'owner' });
      const key = await createUserKey(stack.db, organization.id, owner.id);
      await visitor.open('/settings/people');
      await visitor.click('button', 'Invite a person');
      await visitor.focused('E-mail');
      await visitor.type('late@example.com');
      const change = await fetch(`${stack.url}/organization/members/${person.id}`, {
        method: 'PATCH',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ role: 'member' }),
      });
      expect(change.status).toBe(200);
      await visitor.press('Enter');
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      await again.waitFor();
      await again.getByLabel('Password', { exact: true }).fill(testPassword);
      await visitor.press('Enter');
      await page.getByText('a change of your role signed you out', { exact: false }).waitFor();
      await page.getByText('Owners and admins of the organization see its people.').waitFor();
      await page.getByRole('button', { name: 'Invite a person', disabled: true }).waitFor();
      const { rows } = await stack.db.query('select 1 from invitations where organization_id = $1', [organization.id]);
      expect(rows).toEqual([]);
    },
  );

  test('a person leaves, and goes on in another organization; the only owner cannot', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, organization, person } = visitor;
    visitor.expectErrors(/409/);
    const other = await createOrganization(stack.db);
    await joinOrganization(stack.db, person.id, other.id, 'member');
    await visitor.open('/settings/people');
    await visitor.click('button', 'Leave the organization');
    await expectAccessible(visitor, 'people-leave');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('You are the only owner', { exact: false }).waitFor();
    await createPerson(stack.db, { [organization.id]: 'owner' });
    await visitor.click('button', 'Leave the organization');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('You have left', { exact: false }).waitFor();
    await visitor.focused('Paste an address');
    const { rows } = await stack.db.query('select organization_id from memberships where user_id = $1', [person.id]);
    expect(rows).toEqual([{ organization_id: other.id }]);
  });
});
