// @module-tag process

import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const newPassword = 'an even better battery';

describeFlows('a forgotten password', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** The link in the newest mail to an e-mail. */
  async function mailedLink(email: string): Promise<string> {
    const mail = await eventually(
      () => stack.mails.findLast((one) => one.includes(email)),
      (found) => found !== undefined,
    );
    // Quoted-printable: lines are joined again.
    const text = mail!.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    return /https?:\S+\/console\/reset#token=\S+/.exec(text)![0];
  }

  test('is replaced by the link of a mail, which works once; other sessions end', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, person } = visitor;
    visitor.expectErrors(/40[01]/);
    await page.context().clearCookies();
    await visitor.open(`/sign-in?email=${person.email}`);
    await visitor.click('link', 'Forgot the password?');
    await page.getByRole('button', { name: 'Send the mail' }).waitFor();
    await expectAccessible(visitor, 'forgot');
    await visitor.click('button', 'Send the mail');
    await page.getByText(`If an account has ${person.email}`).waitFor();
    const link = await mailedLink(person.email);
    await page.goto(link);
    await visitor.focused('New password');
    expect(page.url()).not.toContain('token');
    await expectAccessible(visitor, 'reset');
    await visitor.type('short');
    await visitor.press('Enter');
    await page.getByText(/8 to .* characters/).waitFor();
    await page.getByLabel('New password').fill(newPassword);
    await visitor.press('Enter');
    await page.getByText('The new password is set').waitFor();
    await page.getByLabel('Paste an address').waitFor();

    const signIn = async (password: string): Promise<number> => {
      const headers = { 'content-type': 'application/json', origin: stack.url };
      const body = JSON.stringify({ email: person.email, password });
      return (await fetch(`${stack.url}/auth/login`, { method: 'POST', headers, body })).status;
    };
    expect([await signIn(testPassword), await signIn(newPassword)]).toEqual([401, 200]);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('New password').fill('yet another battery');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByText('This link does not work any more').waitFor();
    await visitor.click('link', 'Ask for a new link');
    await page.getByRole('button', { name: 'Send the mail' }).waitFor();
  });

  test('is asked for without telling whether an account has the e-mail', async () => {
    await using visitor = await visit({ language: 'de-DE' });
    await visitor.page.context().clearCookies();
    await visitor.open('/forgot?email=nobody@example.com');
    await visitor.click('button', 'Mail senden');
    await visitor.page.getByText('Falls ein Konto nobody@example.com hat').waitFor();
    expect(stack.mails.filter((mail) => mail.includes('nobody@example.com'))).toEqual([]);
  });
});
