// @module-tag process

import { afterAll, expect, test } from 'vitest';
import { totpCodeAt } from '#core/accounts/second-factors.ts';
import { eventually } from '#test/support/eventually.ts';
import { testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// Second factors in a real browser, with its virtual authenticator: from adding one to losing it.

describeFlows('second factors', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  afterAll(() => stack.heal());
  const outdate = (id: string) =>
    stack.db.query(
      `update sessions set confirmed_at = confirmed_at - interval '1 hour', second_factor_at = second_factor_at - interval '1 hour' where user_id = $1`,
      [id],
    );

  test(
    'a person adds an app, signs in by its code, later by a recovery code, and confirms a new key',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, person } = visitor;
      visitor.expectErrors(/40[0134]/);
      await outdate(person.id);
      await visitor.open('/settings/security');
      await visitor.click('button', 'Add an app');
      // The session is an hour old: the password is asked for, and the page goes on by itself.
      const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await confirmation.getByLabel('Password').fill(testPassword);
      await expectAccessible(visitor, 'second-factor-confirm');
      await confirmation.getByRole('button', { name: 'Confirm' }).click();
      const adding = page.getByRole('dialog', { name: 'Add an authenticator app' });
      await adding.getByRole('img', { name: 'QR code for the app' }).waitFor();
      const secret = (await adding.getByRole('region', { name: 'Secret' }).innerText()).trim();
      await expectAccessible(visitor, 'second-factor-app');
      await adding.getByLabel('Code that the app shows').fill(totpCodeAt(secret, new Date()));
      await adding.getByRole('button', { name: 'Add', exact: true }).click();
      const kept = page.getByRole('dialog', { name: 'Keep these recovery codes' });
      const codes = (await kept.getByRole('region', { name: 'Recovery codes' }).innerText()).trim().split(/\s+/);
      expect(codes).toHaveLength(10);
      await expectAccessible(visitor, 'second-factor-codes');
      await kept.getByRole('button', { name: 'I have kept them' }).click();
      await page.getByText('10 codes are left').waitFor();
      await expectAccessible(visitor, 'settings-security');

      await page.context().clearCookies();
      await visitor.open(`/sign-in?email=${person.email}`);
      await page.getByLabel('Password', { exact: true }).fill(testPassword);
      await visitor.click('button', 'Sign in');
      await page.getByLabel('Code of your app').waitFor();
      await expectAccessible(visitor, 'sign-in-second-factor');
      await page.getByLabel('Code of your app').fill('000000');
      await visitor.click('button', 'Go on');
      await page.getByText('That is wrong, or was used before.').waitFor();
      // The phone is lost.
      await visitor.click('button', 'Use a recovery code');
      await page.getByLabel('Recovery code', { exact: true }).fill(codes.slice(0, 1).join('').toLowerCase());
      await visitor.click('button', 'Go on');
      await page.waitForURL('**/console/links');

      await outdate(person.id);
      await visitor.open('/settings/security');
      await page.getByText('9 codes are left').waitFor();
      await visitor.click('button', 'Remove the app');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      await confirmation.getByLabel('Code of your app').fill(totpCodeAt(secret, new Date(Date.now() + 30_000)));
      await confirmation.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('button', { name: 'Add an app' }).waitFor();
    },
  );

  test('a person adds a passkey, signs in by it alone, and removes it', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    visitor.expectErrors(/40[0134]/);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await visitor.open('/settings/security');
    await visitor.click('button', 'Add a passkey');
    await page.getByLabel('Name of the passkey').fill('Work laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Work laptop').waitFor();
    await expectAccessible(visitor, 'settings-security-passkey');

    await page.context().clearCookies();
    await visitor.open('/sign-in');
    await visitor.click('button', 'Sign in with a passkey');
    await page.waitForURL('**/console/links');

    const { rows } = await stack.db.query('select last_used_at is not null as used from passkeys where user_id = $1', [
      visitor.person.id,
    ]);
    expect(rows).toEqual([{ used: true }]);

    await visitor.open('/settings/security');
    await page.getByRole('button', { name: 'Remove Work laptop' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Rename Work laptop' }).waitFor({ state: 'detached' });
  });

  /** Adds an app to a person who is signed in. @returns the secret, and the recovery codes. */
  async function addApp({ open, click, page }: Visitor): Promise<{ secret: string; codes: string[] }> {
    await open('/settings/security');
    await click('button', 'Add an app');
    const adding = page.getByRole('dialog', { name: 'Add an authenticator app' });
    const secret = (await adding.getByRole('region', { name: 'Secret' }).innerText()).trim();
    await adding.getByLabel('Code that the app shows').fill(totpCodeAt(secret, new Date()));
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    const kept = page.getByRole('dialog', { name: 'Keep these recovery codes' });
    const text = await kept.getByRole('region', { name: 'Recovery codes' }).innerText();
    await click('button', 'I have kept them');
    return { secret, codes: text.trim().split(/\s+/) };
  }

  test(
    'a confirmation in the middle of making a key loses nothing, and a new password by mail asks for the factor',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, person } = visitor;
      visitor.expectErrors(/40[0134]/);
      const { codes } = await addApp(visitor);
      await outdate(person.id);
      await visitor.open('/settings/keys');
      await visitor.click('button', 'New key');
      await page.getByLabel('Name', { exact: true }).fill('Newsletter');
      await visitor.click('button', 'Make the key');
      const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await confirmation.getByRole('button', { name: 'Use a recovery code' }).click();
      await confirmation.getByLabel('Recovery code', { exact: true }).fill(codes[0] ?? '');
      await confirmation.getByRole('button', { name: 'Confirm' }).click();
      await page
        .getByText(/wm_live_\w{43}/)
        .first()
        .waitFor();
      const { rows } = await stack.db.query(
        `select name from api_keys where name = 'Newsletter' and organization_id = $1`,
        [visitor.organization.id],
      );
      expect(rows).toHaveLength(1);

      await page.context().clearCookies();
      await visitor.open(`/forgot?email=${person.email}`);
      await visitor.click('button', 'Send the mail');
      const link = await eventually(
        () =>
          Promise.resolve(
            stack.mails
              .filter((one) => one.includes(person.email))
              .map((one) =>
                /https?:\S+\/console\/reset#token=\S+/.exec(one.replaceAll('=\r\n', '').replaceAll('=3D', '=')),
              )
              .findLast((found) => found !== null),
          ),
        (found) => found !== undefined,
      );
      await page.goto(link?.[0] ?? '');
      await page.getByLabel('New password').fill('a password that is new');
      await visitor.press('Enter');
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code', { exact: true }).fill(codes[1] ?? '');
      await visitor.click('button', 'Go on');
      await page.getByLabel('Paste an address').waitFor();
    },
  );

  test('staff without a second factor are led to add one, and then see their pages', { tags: 'nightly' }, async () => {
    await stack.killApi();
    await stack.startApi({ STAFF_SECOND_FACTOR: 'required' });
    await using visitor = await visit();
    const { page, person } = visitor;
    visitor.expectErrors(/403/);
    await stack.db.query('update users set is_staff = true where id = $1', [person.id]);
    await visitor.open('/staff');
    await page.getByRole('link', { name: 'Add a second factor' }).first().click();
    await page.getByRole('button', { name: 'Add an app' }).waitFor();
    await addApp(visitor);
    await visitor.open('/staff');
    await page.getByText('Everything answers').waitFor();
    expect(await page.getByRole('link', { name: 'Add a second factor' }).count()).toBe(0);
  });
});
