import { describe, expect, it } from 'vitest';
import { removeMember } from '#commands/organizations/members.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { createPerson, createSignedIn, createUserKey } from '#test/support/people.ts';

/** The APIs of two processes over one database. */
async function createPair(): Promise<AsyncDisposable & { first: TestApi; second: TestApi }> {
  const first = await createTestApi();
  const second = await createTestApi({ besides: first });
  return {
    first,
    second,
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

const use = async (api: TestApi, key: string, path = '/short-link/list'): Promise<number> =>
  (await api.call('GET', path, undefined, { headers: { 'x-api-key': key } })).status;

describe('what changes of a key is in force with the next call on another process', () => {
  it('a revoked key is refused with the next call on another process', { tags: 'slow' }, async () => {
    await using pair = await createPair();
    const { first, second } = pair;
    const { headers } = await createSignedIn(first.db, first.organization.id, 'owner');
    for (let round = 0; round < 10; round += 1) {
      const body = { type: 'user', name: 'Key', permissions: { shortLinks: ['read'] } };
      const { key, id } = (await first.call('POST', '/api-key', body, { headers })).body;
      expect([await use(second, key), await use(second, key)]).toEqual([200, 200]);
      await first.call('DELETE', `/api-key/${id}`, undefined, { headers });
      expect(await use(second, key)).toBe(401);
    }
  });

  it(
    'changed permissions hold with the next call on another process, however fast they change',
    { tags: 'nightly' },
    async () => {
      await using pair = await createPair();
      const { first, second } = pair;
      const { headers } = await createSignedIn(first.db, first.organization.id, 'owner');
      const body = { type: 'user', name: 'Key', permissions: { shortLinks: ['read'] } };
      const { key, id } = (await first.call('POST', '/api-key', body, { headers })).body;
      for (let round = 0; round < 20; round += 1) {
        const permissions = round % 2 === 0 ? { stats: ['read'] } : { shortLinks: ['read'] };
        await first.call('PATCH', `/api-key/${id}`, { permissions }, { headers });
        expect(await use(second, key)).toBe(round % 2 === 0 ? 403 : 200);
      }
    },
  );

  it('the end of the membership of its user', async () => {
    await using pair = await createPair();
    const { first, second } = pair;
    const { id: organizationId } = first.organization;
    const { id: userId } = await createPerson(first.db, { [organizationId]: 'admin' });
    const key = await createUserKey(first.db, organizationId, userId);
    const statuses = async (): Promise<number[]> => [await use(second, key), await use(second, key, '/api-key/list')];
    expect(await statuses()).toEqual([200, 200]);
    await emOf(first.db).transactional((em) => removeMember(em, { organizationId, userId }));
    expect(await statuses()).toEqual([401, 401]);
  });

  it('the plan and the suspension of its organization', async () => {
    await using pair = await createPair();
    const { first, second } = pair;
    const { id, key } = first.organization;
    const change = (set: string) =>
      first.db.query(`update organizations set ${set}, updated_at = now() where id = $1`, [id]);
    expect(await use(second, key)).toBe(200);
    await change(`plan = 'free'`);
    expect(await use(second, key)).toBe(403);
    await change(`plan = 'premium'`);
    expect(await use(second, key)).toBe(200);
    await change('suspended_at = now()');
    expect(await use(second, key)).toBe(403);
  });
});
