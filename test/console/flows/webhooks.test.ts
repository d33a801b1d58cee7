// @module-tag process

import type { IncomingMessage } from 'node:http';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('webhooks in the console', () => {
  const stack = useConsoleStack();
  afterAll(() => stack.receivers.stop());
  const visit = useVisitors(stack);

  let status = 204;
  beforeEach(() => void (status = 204));
  const received: { headers: IncomingMessage['headers']; body: Buffer }[] = [];

  /** Starts a receiver that answers with `status`. @returns its address. */
  async function receive(): Promise<string> {
    const port = await stack.receivers.https((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(parts) });
        response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 204 ? undefined : 'out of order');
      });
    });
    return `https://127.0.0.1:${port}/waymark`;
  }

  async function create({ call }: Visitor, name: string): Promise<string> {
    const { id } = await call('POST', '/webhook', { url: await receive(), events: ['link.created'], name });
    return id;
  }

  test(
    'a webhook is made, its secret shown once, and a test answered within seconds',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      // Not the links: without any, their page puts the focus into a field, which takes the keys.
      await visitor.open('/domains');
      await page.getByText('No domain yet').waitFor();
      // Keys of a chord must follow each other within a second, which a busy machine may not manage.
      await eventually(async () => {
        await page.keyboard.press('g');
        await page.keyboard.press('w');
        return page.url().endsWith('/webhooks');
      });
      await page.getByText('No webhook yet').waitFor();
      await expectAccessible(visitor, 'webhooks-empty');
      await visitor.click('button', 'New webhook');
      await visitor.focused('Address');
      await page.keyboard.type('https://10.0.0.1/');
      await page.keyboard.press('Enter');
      await page.getByText('The host is not at a public address.').waitFor();
      visitor.expectErrors(/status of 400/);
      await expectAccessible(visitor, 'webhook-new');
      await page.getByLabel('Address', { exact: true }).fill(await receive());
      await page.getByLabel('Name', { exact: true }).fill('CRM');
      await page.getByRole('checkbox', { name: 'Link clicked' }).focus();
      await page.keyboard.press('Space');
      await visitor.click('button', 'Create');
      await page.getByText('Copy the secret now: no later page shows it.').waitFor();
      await visitor.click('button', 'Copy');
      const secret = await visitor.clipboard();
      expect(secret).toMatch(/^whsec_/);
      await visitor.click('button', 'PHP');
      await page.getByText('hash_equals', { exact: false }).waitFor();
      await expectAccessible(visitor, 'webhook-secret');
      await visitor.click('button', 'I have kept the secret');
      await page.getByRole('heading', { name: 'CRM' }).waitFor();
      expect(await page.content()).not.toContain(secret);
      await visitor.click('button', 'Send a test');
      await page.getByText('The server answered 204: taken', { exact: false }).waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Delivered' }).waitFor();
      await expectAccessible(visitor, 'webhook-well');
    },
  );

  test(
    'a webhook that fails is marked in the menu, and 3 actions send a failed delivery again',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const id = await create(visitor, 'Warehouse');
      status = 500;
      await visitor.call('POST', `/webhook/${id}/test`);
      await visitor.open(`/webhooks/${id}`);
      await page.getByText('Retrying: 1 waits').waitFor();
      await page.getByText('The server answered 500: an error of the server').first().waitFor();
      await expectAccessible(visitor, 'webhook-retrying');
      const fail = (since: string) =>
        stack.db.query(
          `update webhooks set failing_since = ${since}, next_probe_at = ${since} + interval '1 hour' where id = $1`,
          [id],
        );
      await fail('now()');
      await page.reload();
      await page.getByText('1 attempt, waits until a probe succeeds').waitFor();
      await fail('null::timestamptz');
      await page.getByRole('list', { name: 'Deliveries' }).getByRole('link', { name: 'Test' }).click();
      await page.getByText('Planned', { exact: false }).waitFor();
      expect(await page.getByText('Where the attempts before fail', { exact: false }).count()).toBe(4);
      await expectAccessible(visitor, 'delivery-retrying');
      // After all its attempts, which take 31 hours.
      await stack.db.query(`update deliveries set status = 'failed', due_at = null where webhook_id = $1`, [id]);
      status = 204;

      await visitor.open('/links');
      await page.getByRole('link', { name: 'Fails: webhook Warehouse' }).waitFor();
      await expectAccessible(visitor, 'webhook-mark');
      visitor.restart();
      await visitor.click('link', 'Fails: webhook Warehouse');
      await page.getByText('1 delivery', { exact: true }).waitFor();
      await visitor.click('link', 'Test');
      await visitor.click('button', 'Send again');
      expect(visitor.actions()).toBe(3);
      await page.getByText('The server answered 204: taken').waitFor();
      await page.getByText('Delivered', { exact: true }).waitFor();
      await expectAccessible(visitor, 'delivery-delivered');
      await page.getByRole('link', { name: 'Fails: webhook Warehouse' }).waitFor({ state: 'detached' });
    },
  );

  test('the list of deliveries says why a server did not answer', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const [port] = await freePorts(1);
    const url = `https://127.0.0.1:${port}/waymark`;
    const { id } = await visitor.call('POST', '/webhook', { url, events: ['link.created'], name: 'Away' });
    await visitor.call('POST', `/webhook/${id}/test`);
    await visitor.open(`/webhooks/${id}`);
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    const row = rows.filter({ hasText: 'The connection was refused: no server listens there' });
    await row.waitFor();
    expect(await row.count()).toBe(1);
    await expectAccessible(visitor, 'webhook-refused');
  });

  test('filters stand in the address, and selected deliveries are sent again', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const id = await create(visitor, 'Filters');
    for (const type of ['link.created', 'link.clicked', 'domain.lost'])
      await visitor.call('POST', `/webhook/${id}/test`, { type });
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await visitor.open(`/webhooks/${id}?type=link.clicked&status=unknown`);
    await expect.poll(() => rows.count()).toBe(1);
    await visitor.click('button', 'Delivered');
    await expect.poll(() => page.url()).toContain('status=delivered');
    expect(page.url()).toContain('type=link.clicked');
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain('status=delivered');
    await visitor.click('button', 'Failed');
    await page.getByText('No delivery has failed in all its attempts.').waitFor();
    await expectAccessible(visitor, 'webhook-none-failed');
    await visitor.click('button', 'Clear the filters');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByLabel('From', { exact: true }).fill('2031-01-01');
    await page.getByText('No delivery matches the filters.').waitFor();
    await visitor.open(`/webhooks/${id}?until=2031-01-01`);
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByText('Delivered', { exact: true }).nth(3).waitFor();
    const before = received.length;
    await page.getByRole('checkbox', { name: 'Select all on this page' }).focus();
    await page.keyboard.press('Space');
    await visitor.click('button', 'Send 3 again');
    await page.getByText('3 deliveries are sent again').waitFor();
    await expect.poll(() => received.length).toBe(before + 3);
  });

  test('a webhook that is made after its dialog was closed shows its secret all the same', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await page.route('**/webhook', async (route) => {
      begun.resolve();
      await promise;
      await route.continue();
    });
    await visitor.open('/webhooks');
    await visitor.click('button', 'New webhook');
    await visitor.focused('Address');
    await visitor.type(await receive());
    await visitor.press('Enter');
    await begun.promise;
    await visitor.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    resolve();
    await page
      .getByRole('dialog')
      .getByText(/whsec_|secret/i)
      .first()
      .waitFor();
    const { data } = await visitor.call('GET', '/webhook/list');
    expect(data).toHaveLength(1);
  });

  test('a delivery whose answers got lost is sent again once, and so is one that is pressed twice', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/ERR_FAILED|Failed to load resource/);
    const { page } = visitor;
    status = 500;
    const id = await create(visitor, 'Lost');
    await visitor.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
    const { data } = await eventually(
      () => visitor.call('GET', `/webhook/${id}/deliveries`),
      (deliveries) => deliveries.count > 0,
    );
    await visitor.open(`/webhooks/${id}/deliveries/${data[0].id}`);
    await visitor.loaded();
    const keys: (string | undefined)[] = [];
    await page.route('**/redeliver', async (route, request) => {
      keys.push(request.headers()['idempotency-key']);
      if (keys.length > 5) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await visitor.click('button', 'Send again');
    await visitor.click('button', 'Try again');
    await page.getByText('The delivery is sent again').waitFor();
    expect(new Set(keys).size).toBe(1);
    const sent = keys.length;
    await page.getByRole('button', { name: 'Send again', disabled: false }).evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await page.waitForResponse((response) => response.url().endsWith('/redeliver'));
    await visitor.loaded();
    expect(keys).toHaveLength(sent + 1);
  });

  test('a webhook is changed, paused, given a new secret, and deleted', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const destination = { type: 'link', value: 'https://example.com/' };
    const link = await visitor.call('POST', '/short-link', { destination, tags: ['print'] });
    const id = await create(visitor, 'Old name');
    await visitor.open('/webhooks');
    await page.getByText('No delivery yet', { exact: true }).waitFor();
    await expectAccessible(visitor, 'webhooks');
    await visitor.click('link', 'Old name');
    await visitor.click('button', 'Edit');
    await page.getByLabel('Name', { exact: true }).fill('New name');
    await page.getByLabel('Headers', { exact: true }).fill('Authorization Bearer');
    await visitor.click('button', 'Save');
    await page.getByText('Line 1 is not a name, a colon and a value.').waitFor();
    await page.getByLabel('Headers', { exact: true }).fill('Host: example.com');
    await visitor.click('button', 'Save');
    await page.getByText('Host is reserved').waitFor();
    visitor.expectErrors(/status of 400/);
    await expectAccessible(visitor, 'webhook-edit');
    await page.getByLabel('Headers', { exact: true }).fill('Authorization: Bearer 5f0c7b');
    await page.getByText('Only some links').click();
    await page.getByRole('group', { name: 'In folders' }).getByRole('checkbox', { name: 'Links' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('group', { name: 'With tags' }).getByRole('checkbox', { name: 'print' }).focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Most requests in a second').fill('25');
    await expectAccessible(visitor, 'webhook-scope');
    await visitor.click('button', 'Save');
    await page.getByRole('heading', { name: 'New name' }).waitFor();
    await page.getByText('Authorization', { exact: true }).waitFor();
    await page.getByText('25 requests in a second').waitFor();
    const { folderId } = link;
    expect(await visitor.call('GET', `/webhook/${id}`)).toMatchObject({
      maxPerSecond: 25,
      scope: { folderIds: [folderId], tagIds: [expect.any(String)], domainIds: [], linkIds: [] },
    });
    await visitor.click('button', 'Edit');
    await page.getByLabel('Most requests in a second').fill('');
    for (const name of ['Links', 'print']) {
      await page.getByRole('checkbox', { name, exact: true }).focus();
      await page.keyboard.press('Space');
    }
    await visitor.click('button', 'Save');
    await page.getByText('25 requests in a second').waitFor({ state: 'detached' });
    expect(await visitor.call('GET', `/webhook/${id}`)).toMatchObject({ maxPerSecond: null, scope: null });

    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Pause');
    await page.getByText('Deliveries wait until it is resumed.', { exact: false }).waitFor();
    await visitor.call('POST', `/webhook/${id}/test`);
    await page.reload();
    await page.getByText('Paused: 1 waits').waitFor();
    await choose('Resume');
    await page.getByText('Delivered', { exact: true }).nth(1).waitFor();
    expect(received.at(-1)?.headers.authorization).toBe('Bearer 5f0c7b');

    await choose('New secret');
    await visitor.click('button', 'Make a new secret');
    await page.getByText('The old secret signs too until', { exact: false }).waitFor();
    await expectAccessible(visitor, 'webhook-rotated');
    await visitor.click('button', 'I have kept the secret');
    await page.getByText('Old secret signs until').waitFor();
    await visitor.click('button', 'Send a test');
    await page.getByText('The server answered 204: taken', { exact: false }).waitFor();
    expect(String(received.at(-1)?.headers['webhook-signature']).split(' ')).toHaveLength(2);

    await choose('Delete the webhook');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByText('Deleted New name').waitFor();
    await page.getByText('No webhook yet').waitFor();
  });

  test('a webhook that failures turned off says why, and two steps mend it', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ language: 'de-DE' });
    const { page } = visitor;
    const id = await create(visitor, 'Kasse');
    status = 410;
    await visitor.call('POST', `/webhook/${id}/test`);
    await visitor.open('/webhooks');
    await page.getByText('weil der Server mit 410 (gone) antwortete', { exact: false }).waitFor();
    await expectAccessible(visitor, 'webhooks-off');
    await visitor.click('link', /^Kasse$/);
    await page.getByText('Zwei Schritte, um das zu beheben').waitFor();
    await page.getByText('Der Server antwortete 410: das schaltet den Webhook aus', { exact: false }).first().waitFor();
    await expectAccessible(visitor, 'webhook-off');
    status = 204;
    await visitor.click('button', 'Einschalten');
    await page.getByText('1 Zustellung wird zurückgehalten, aus der Zeit', { exact: false }).waitFor();
    await visitor.click('button', 'Versäumtes senden');
    await page.getByText('0 fehlgeschlagene und 1 zurückgehaltene Zustellung seitdem.', { exact: false }).waitFor();
    await expectAccessible(visitor, 'webhook-recover');
    const before = received.length;
    await visitor.click('button', /^Senden$/);
    await page.getByText('Versäumte Ereignisse werden gesendet').waitFor();
    await expect.poll(() => received.length).toBe(before + 1);
  });

  test('a free plan finds the reason on controls', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ plan: 'free' });
    const { page } = visitor;
    await visitor.open('/webhooks');
    await page.getByText('Webhooks need the premium plan.').first().waitFor();
    expect(await page.getByRole('button', { name: 'New webhook' }).getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(visitor, 'webhooks-free');
  });
});
