import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createCliFixture } from './fixture.ts';

const cli = createCliFixture();

async function createWebhook(): Promise<string> {
  const { organization } = await cli.createOrganization();
  const id = uuidv7();
  const url = `https://hooks.example.com/${id}`;
  await cli.db.query(
    `insert into webhooks (id, organization_id, url, url_key, events, secret_sealed, created_at)
     values ($1, $2, $3, $3, '{link.created}', '\\x00', now() - interval '40 days')`,
    [id, organization.id, url],
  );
  return id;
}

const recover = (id: string, since: string): string[] => ['webhooks', 'recover', '--webhook', id, '--since', since];

test('webhooks recover asks for what any organization’s webhook has missed', async () => {
  const id = await createWebhook();
  const since = new Date(Date.now() - 86_400_000).toISOString();
  const range = await cli.json(recover(id, since));
  expect(range).toEqual({ since, until: expect.any(String) });
  const { rows } = await cli.db.query('select since, until from webhook_recoveries where webhook_id = $1', [id]);
  expect(rows).toEqual([{ since: new Date(since), until: new Date(range.until) }]);
  expect((await cli.run(recover(id, since))).out).toContain(`from ${since}`);
});

test('webhooks recover refuses what cannot be', async () => {
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
