// @module-tag process
// @module-tag nightly

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOidc, type TestOidc } from '#test/support/oidc.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// Sign-in by a real OpenID Connect provider, in a real browser.

describeFlows('sign-in by an identity provider', () => {
  let provider: TestOidc;
  const stack = useConsoleStack();
  beforeAll(async () => {
    provider = await startOidc(`${stack.url}/auth/oidc/callback`);
    await stack.killApi();
    await stack.startApi({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      OIDC_NAME: 'Example Login',
    });
  });
  afterAll(async () => {
    await stack.heal();
    await provider?.stop();
  });
  const visit = useVisitors(stack);

  // The first test: later the API knows the provider for half a minute, and need not ask.
  test('a provider that is away is said at once; when it is back, the sign-in goes on', async () => {
    await using visitor = await visit();
    const { page, person } = visitor;
    visitor.expectErrors(/401|503|request: http:\/\/127/);
    await page.context().clearCookies();
    await visitor.open('/sign-in');
    await page.getByRole('button', { name: 'Continue with Example Login' }).waitFor();
    await provider.stop();
    await visitor.click('button', 'Continue with Example Login');
    await page.getByText('The identity provider does not answer').waitFor();
    await expectAccessible(visitor, 'sign-in-provider-away');
    await provider.start();
    provider.person = { id: `sub-${Date.now()}`, email: person.email };
    await visitor.click('button', 'Continue with Example Login');
    await page.waitForURL('**/console/links');
    await page.getByRole('link', { name: 'Statistics' }).waitFor();
    expect((await stack.db.query('select 1 from oidc_identities where user_id = $1', [person.id])).rowCount).toBe(1);
  });

  test('a person signs in by the provider and comes to the page that they wanted', async () => {
    await using visitor = await visit();
    const { page, person } = visitor;
    visitor.expectErrors(/401|request: http:\/\/127/);
    await page.context().clearCookies();
    await visitor.open('/settings/devices');
    await page.getByRole('button', { name: 'Continue with Example Login' }).waitFor();
    await expectAccessible(visitor, 'sign-in-provider');
    provider.person = { id: `sub-${Date.now()}`, email: person.email };
    await visitor.click('button', 'Continue with Example Login');
    await page.waitForURL('**/console/settings/devices');
    await page.getByText('this browser').waitFor();
    expect((await stack.db.query('select 1 from oidc_identities where user_id = $1', [person.id])).rowCount).toBe(1);
  });

  test('the sign-in page says why the provider let nobody in, and the password works on', async () => {
    await using visitor = await visit();
    const { page, person } = visitor;
    visitor.expectErrors(/401|request: http:\/\/127/);
    await page.context().clearCookies();
    provider.person = { id: `sub-${Date.now()}`, email: `stranger-${Date.now()}@example.com` };
    await visitor.open(`/sign-in?email=${person.email}`);
    await visitor.click('button', 'Continue with Example Login');
    await page.getByText('Nobody here has your e-mail').waitFor();
    provider.person = undefined;
    // The provider has a session of its own.
    await page.context().clearCookies();
    await visitor.click('button', 'Continue with Example Login');
    const refused = page.getByText('The identity provider did not sign you in.');
    await refused.waitFor();
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill('a wrong password');
    await visitor.press('Enter');
    await page.getByText('E-mail or password is wrong.').waitFor();
    expect(await refused.count()).toBe(0);
  });

  test('an owner who sets a provider is told what is wrong at its field, and nothing is stored', async () => {
    await using visitor = await visit();
    const { page, organization } = visitor;
    visitor.expectErrors(/400/);
    await visitor.open('/settings/organization');
    const panel = page.getByRole('region', { name: 'Sign-in by an identity provider' });
    await panel.getByText(`${stack.url}/auth/oidc/callback/${organization.id}`).waitFor();
    await panel.getByLabel('E-mail domain').fill('not-ours.example');
    await panel.getByLabel('Issuer').fill(provider.issuer);
    await panel.getByLabel('Client id').fill(provider.clientId);
    await panel.getByLabel('Client secret').fill(provider.clientSecret);
    await panel.getByRole('button', { name: 'Save' }).click();
    // Providers of organizations are asked at https addresses alone.
    await panel.getByText('Only https addresses are called.', { exact: false }).waitFor();
    await expectAccessible(visitor, 'settings-provider');
    const { rowCount } = await stack.db.query('select 1 from oidc_providers where organization_id = $1', [
      organization.id,
    ]);
    expect(rowCount).toBe(0);
  });

  test('an owner removes the provider, and the form around the question is not sent with it', async () => {
    await using visitor = await visit();
    const { page, organization } = visitor;
    await stack.db.query(
      `insert into oidc_providers (organization_id, issuer, client_id, client_secret_sealed, email_domain, created_at, updated_at)
       values ($1, $2, 'waymark', 'sealed', $3, now(), now())`,
      [organization.id, provider.issuer, `${organization.id}.example`],
    );
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/organization/oidc') && request.method() !== 'GET') sent.push(request.method());
    });
    await visitor.open('/settings/organization');
    const panel = page.getByRole('region', { name: 'Sign-in by an identity provider' });
    await panel.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' });
    expect(sent).toEqual(['DELETE']);
  });
});
