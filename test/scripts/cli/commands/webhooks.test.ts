import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';
import { insertRow, secondsAgo } from '#test/support/rows.ts';

const cli = createCliFixture();

async function createWebhook(): Promise<string> {
  const { organization } = await cli.createOrganization();
  const { id } = await insertRow(cli.db, 'webhooks', {
    organization_id: organization.id,
    created_at: secondsAgo(40 * 86_400),
  });
  return id;
}

const recover = (id: string, since: string): string[] => ['webhooks', 'recover', '--webhook', id, '--since', since];

test('webhooks recover requests the missed events of any organization’s webhook', async () => {
  const id = await createWebhook();
  const since = new Date(Date.now() - 86_400_000).toISOString();
  const range = await cli.json(recover(id, since));
  expect(range).toEqual({ since, until: expect.any(String) });
  const { rows } = await cli.db.query('select since, until from webhook_recoveries where webhook_id = $1', [id]);
  expect(rows).toEqual([{ since: new Date(since), until: new Date(range.until) }]);
  expect((await cli.run(recover(id, since))).out).toContain(`from ${since}`);
});

test('webhooks recover refuses impossible requests', async () => {
  const id = await createWebhook();
  const since = new Date().toISOString();
  const tooFar = new Date(Date.now() - 31 * 86_400_000).toISOString();
  expect(await cli.run(recover(id, tooFar))).toMatchObject({ code: 2, err: expect.stringContaining('30 days') });
  expect(await cli.run(recover(id, 'yesterday'))).toMatchObject({ code: 2, err: expect.stringContaining('--since') });
  expect(await cli.run(recover('x', since))).toMatchObject({ code: 2, err: expect.stringContaining('--webhook') });
  expect(await cli.run(recover(uuidv7(), since))).toMatchObject({
    code: 1,
    err: 'This webhook does not exist.\n',
  });
  await cli.db.query('update webhooks set is_active = false where id = $1', [id]);
  expect(await cli.run(recover(id, since))).toMatchObject({ code: 2, err: expect.stringContaining('turn it on') });
});
