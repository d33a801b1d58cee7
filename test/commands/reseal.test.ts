import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { reseal, UnreadableError } from '#commands/reseal.ts';
import { requireSecretKey } from '#db/connection/secret-fingerprint.ts';
import { type Answer, type TestApi, useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { type BrowserHeaders, createSignedIn } from '#test/support/people.ts';
import { insertRow } from '#test/support/rows.ts';
import { v7 as uuidv7 } from 'uuid';

// A call that creates an API key and dies before its answer has stored the key sealed, for its idempotency key. The repeated
// call must show the key, even after a change of SECRET_KEY.

const [earlier, later] = ['an earlier secret key that is long enough', 'a later secret key that is long enough too'];
const earlierKey = createSealing([earlier]);
const bothKeys = createSealing([later, earlier]);
const laterKey = createSealing([later]);
let owner: BrowserHeaders;

const before = useOwnTestApi({ sealing: earlierKey });
const after = useOwnTestApi(() => ({ sealing: laterKey, besides: before }));
beforeAll(async () => {
  await requireSecretKey(before.db, earlierKey);
});
beforeEach(async () => {
  await before.db.query('truncate idempotency_keys');
  const organization = await createOrganization(before.db);
  await before.db.query('delete from api_keys where organization_id = $1', [organization.id]);
  owner = (await createSignedIn(before.db, organization.id, 'owner')).headers;
});

const post = (api: TestApi): Promise<Answer> => {
  const body = { type: 'bot', name: 'Made once', permissions: { shortLinks: ['read'] } };
  return api.call('POST', '/api-key', body, { headers: { ...owner, 'idempotency-key': 'one' } });
};
/** Stands for a call that died after its commit, its lease of a minute expired. */
const die = () => before.db.query('update idempotency_keys set status = null, answer = null, claimed_until = now()');

test('the API key of a call that died is shown again under the new secret key', async () => {
  const made = await post(before);
  expect(made.status).toBe(201);
  await die();
  expect(await reseal(before.db, bothKeys)).toContainEqual({
    table: 'idempotency_keys',
    column: 'made',
    resealed: 1,
    unreadable: 0,
  });
  for (const { resealed } of await reseal(before.db, bothKeys)) expect(resealed).toBe(0);
  const shown = await post(after);
  expect(shown).toMatchObject({ status: 201, body: { id: made.body.id, key: made.body.key } });
  expect((await post(after)).headers['idempotency-replayed']).toBe('true');
});

test('a sealed value that no key opens is reported, and other values stay as they are', async () => {
  for (const [route, made] of [
    ['/short-link', '0192aaaa-0000-7000-8000-000000000000'],
    ['/short-link/bulk', [{ id: 'x', awaited: [] }]],
    ['/short-link/bulk', []],
    ['/api-key', { id: 'x', sealed: 'AQID' }],
  ] as const)
    await insertRow(before.db, 'idempotency_keys', {
      organization_id: uuidv7(),
      route,
      key: 'k',
      made: JSON.stringify(made),
    });
  const notes = async () =>
    (await before.db.query('select route, made::text from idempotency_keys order by 1, 2')).rows;
  const noted = await notes();
  const refused = await reseal(before.db, bothKeys).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnreadableError);
  expect((refused as Error).message).toContain('1 of idempotency_keys.made');
  expect(await notes()).toEqual(noted);
});
