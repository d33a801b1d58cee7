// @module-tag process

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createOrganization } from '#test/support/factories.ts';
import { createTestApp } from '#test/support/oauth.ts';
import { joinOrganization, testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('connected apps in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** An app that listens at a port of this computer. */
  async function startApp(visitor: Visitor, name: string) {
    const server = createServer((_request, response) => response.end('Connected'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    visitor.expectErrors(/^request: http:\/\/127\.0\.0\.1:/);
    const app = createTestApp(stack.url, name, { origin: stack.url, redirectUrl });
    const close = async () => {
      server.closeAllConnections();
      await new Promise((closed) => void server.close(closed));
    };
    return { app, redirectUrl, [Symbol.asyncDispose]: close };
  }

  test(
    'an app asks, the person signs in and allows it, it acts under both names, and the person ends it',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/40[14]/);
      const { page, person, organization } = visitor;
      const other = await createOrganization(stack.db, { plan: 'premium' });
      await joinOrganization(stack.db, person.id, other.id, 'owner');
      await using listening = await startApp(visitor, 'Claude Desktop');
      const { app, redirectUrl } = listening;
      expect(await app.connect()).toBe(false);

      await page.context().clearCookies();
      await page.goto(app.authorizationUrl!.href);
      await page.getByLabel('E-mail').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(testPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Claude Desktop asks to act for you in Waymark.').waitFor();
      await page.getByText(`a program on this computer (${new URL(redirectUrl).host})`).waitFor();
      await page.getByText('Read your links, domains, folders').waitFor();
      await page.getByRole('button', { name: /The app acts in/ }).waitFor();
      await expectAccessible(visitor, 'connect');
      await visitor.click('button', 'Allow');
      await page.waitForURL(`${redirectUrl}**`);
      await app.finish(page.url());
      expect(await app.connect()).toBe(true);
      const made = await app.client.callTool({
        name: 'create_link',
        arguments: { destination: 'https://example.com/', title: 'By an app' },
      });
      expect(made.isError).not.toBe(true);

      await visitor.open('/activity');
      await page.getByText('Claude Desktop for Ada').first().waitFor();
      await visitor.open('/settings/audit');
      await page.getByText('connected an app').waitFor();
      await visitor.click('link', 'Connected apps');
      const row = page.getByRole('listitem').filter({ hasText: 'Claude Desktop' });
      await row.getByText(/last used/).waitFor();
      const { rows } = await stack.db.query('select organization_id as id from connected_apps where user_id = $1', [
        person.id,
      ]);
      expect(rows).toEqual([{ id: organization.id }]);
      await expectAccessible(visitor, 'settings-apps');
      await visitor.click('button', 'End the connection of Claude Desktop');
      await expectAccessible(visitor, 'settings-apps-end');
      await visitor.click('button', /^End the connection$/);
      await page.getByText('Claude Desktop is no longer connected').waitFor();
      await page.getByText('No app is connected').waitFor();
      await expectAccessible(visitor, 'settings-apps-none');
      const headers = {
        authorization: `Bearer ${app.tokens!.access_token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect((await fetch(`${stack.url}/mcp`, { method: 'POST', headers, body })).status).toBe(401);
      await expect(app.client.callTool({ name: 'get_account', arguments: {} })).rejects.toThrow(/./);
    },
  );

  test('a denied app is told so, and its request has ended', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ language: 'de-DE' });
    visitor.expectErrors(/40[14]/);
    const { page } = visitor;
    await using listening = await startApp(visitor, 'Cursor');
    const { app, redirectUrl } = listening;
    await app.connect();
    await page.goto(app.authorizationUrl!.href);
    await page.getByText('Cursor möchte in Waymark für Sie handeln.').waitFor();
    const asked = page.url();
    await expectAccessible(visitor, 'connect-german');
    await visitor.click('button', 'Ablehnen');
    await page.waitForURL(`${redirectUrl}**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto(asked);
    await page.getByText('Diese Anfrage ist beendet').waitFor();
    await expectAccessible(visitor, 'connect-over');
  });
});
