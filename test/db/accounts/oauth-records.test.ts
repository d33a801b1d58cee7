import { beforeEach, expect, test } from 'vitest';
import { extendRecord, findRecord, forgetEndedApps, hashRecordId, storeRecord } from '#db/accounts/oauth-records.ts';
import { ConnectedApp, OauthRecord } from '#db/entities/accounts/connected-apps.ts';
import { revokeApp } from '#commands/accounts/connected-apps.ts';
import { createOrganization } from '#test/support/factories.ts';
import { insertApp } from '#test/support/oauth.ts';
import { createPerson } from '#test/support/people.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { secondsAgo } from '#test/support/rows.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
beforeEach(() => emOf(db).nativeDelete(OauthRecord, {}));

const store = (idHash: string, network: string | undefined, seconds: number, most = 3) =>
  emOf(db).transactional((em) =>
    storeRecord(
      em,
      {
        kind: 'Client',
        idHash,
        appId: null,
        network,
        payloadSealed: Buffer.alloc(1),
        createdAt: new Date(),
        expiresAt: secondsAgo(-seconds),
      },
      most,
    ),
  );

const listThere = async (...idHashes: string[]): Promise<string[]> => {
  const found = await Promise.all(idHashes.map((idHash) => findRecord(emOf(db), 'Client', idHash)));
  return idHashes.filter((_, index) => found[index] !== undefined);
};

test('where all places of records without an app are taken, the one that would end first makes room, and none that was let in', async () => {
  await store('allowed', 'a', 90 * 86_400);
  await store('soon', 'a', 600, 2);
  await store('later', 'a', 3_600, 2);
  await store('newest', 'a', 3_600, 2);
  expect(await listThere('allowed', 'soon', 'later', 'newest')).toEqual(['allowed', 'later', 'newest']);
});

test('a flood from some networks takes no place of another', async () => {
  await store('of a person', 'a', 600);
  for (const [index, network] of ['b', 'c', 'b', 'c', 'b', 'c'].entries())
    await store(`flood ${index}`, network, 3_600 + index);
  expect(await listThere('of a person', 'flood 3', 'flood 4', 'flood 5')).toEqual([
    'of a person',
    'flood 4',
    'flood 5',
  ]);
});

test('a record that was let in forgets its network', async () => {
  await store('client', 'a', 600);
  await extendRecord(emOf(db), 'Client', 'client', secondsAgo(-3_600));
  expect(await emOf(db).findOne(OauthRecord, { idHash: 'client' })).toMatchObject({ network: null });
});

test('a client whose last app has ended gets an hour; one that has an app, or waits, keeps its time', async () => {
  const { id: organizationId } = await createOrganization(db);
  const { id: userId } = await createPerson(db, { [organizationId]: 'owner' });
  const [used, ended, waiting] = ['client-used', 'https://ended.example/ä?>', 'waiting'].map(hashRecordId);
  const app = (clientId: string) => insertApp(db, { userId, organizationId, clientId });
  const now = new Date();
  for (const idHash of [used!, ended!]) await store(idHash, 'a', 90 * 86_400);
  await store(waiting!, 'a', 600);
  await app('client-used');
  const endedId = await app('https://ended.example/ä?>');
  const leftSeconds = async (idHash: string) => {
    const { expiresAt } = await emOf(db).findOneOrFail(OauthRecord, { idHash });
    return Math.round((+expiresAt - +now) / 1_000);
  };
  await forgetEndedApps(emOf(db), now);
  expect(await leftSeconds(ended!)).toBeGreaterThan(89 * 86_400);
  await emOf(db).transactional((em) => revokeApp(em, endedId, now));
  await forgetEndedApps(emOf(db), now);
  expect(await leftSeconds(ended!)).toBe(3_600);
  expect(await leftSeconds(used!)).toBeGreaterThan(89 * 86_400);
  expect(await leftSeconds(waiting!)).toBeLessThanOrEqual(600);
});

test('an app without a token is removed after a day; one with a token stays', async () => {
  const { id: organizationId } = await createOrganization(db);
  const { id: userId } = await createPerson(db, { [organizationId]: 'owner' });
  const [without, withToken] = [
    await insertApp(db, { userId, organizationId, clientId: 'without' }),
    await insertApp(db, { userId, organizationId, clientId: 'with' }),
  ];
  const record = { appId: withToken, payloadSealed: Buffer.alloc(1), createdAt: new Date() };
  const expiresAt = secondsAgo(-30 * 86_400);
  await emOf(db).transactional((em) =>
    storeRecord(em, { ...record, kind: 'RefreshToken', idHash: 'token', expiresAt }, 3),
  );
  await emOf(db).transactional((em) =>
    storeRecord(em, { ...record, appId: without, kind: 'Grant', idHash: 'grant', expiresAt }, 3),
  );
  const isThere = async (id: string) => (await emOf(db).findOne(ConnectedApp, { id })) !== null;
  await forgetEndedApps(emOf(db), secondsAgo(-86_000));
  expect([await isThere(without), await isThere(withToken)]).toEqual([true, true]);
  await forgetEndedApps(emOf(db), secondsAgo(-86_500));
  expect([await isThere(without), await isThere(withToken)]).toEqual([false, true]);
});
