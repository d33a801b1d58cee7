// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';

const api = useTestApi();

const destination = { type: 'link', value: 'https://example.com/a' };
const locked = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ destination, password: `secret ${index}` }));

describe('passwords of links', () => {
  it('a bulk call takes passwords for ten links, and the eleventh is refused by its field', async () => {
    const ten = await api.call('POST', '/short-link/bulk', { links: [...locked(10), { destination }] });
    expect(ten.status).toBe(201);
    expect(ten.body.results.map(({ data }: { data: { hasPassword: boolean } }) => data.hasPassword)).toEqual([
      ...Array.from({ length: 10 }, () => true),
      false,
    ]);
    const eleven = await api.call('POST', '/short-link/bulk', { links: [{ destination }, ...locked(11)] });
    expect(eleven).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path: 'links.11.password' }] },
    });
    const ids: string[] = ten.body.results.map(({ data }: { data: { id: string } }) => data.id);
    const patch = (count: number) =>
      api.call('PATCH', '/short-link/bulk', { links: ids.slice(0, count).map((id) => ({ id, password: 'another' })) });
    expect((await patch(10)).status).toBe(200);
    expect(await patch(11)).toMatchObject({ status: 400, body: { issues: [{ path: 'links.10.password' }] } });
    const cleared = await api.call('PATCH', '/short-link/bulk', { links: ids.map((id) => ({ id, password: null })) });
    expect(cleared.body.results.every(({ data }: { data: { hasPassword: boolean } }) => !data.hasPassword)).toBe(true);
  });

  it(
    'passwords are hashed in turns: an organization with many delays no other and no sign-in, and is answered 429',
    { tags: 'nightly' },
    async () => {
      const other = await createOrganization(api.db);
      const order: string[] = [];
      // Two are hashed at once, and 48 of an organization wait.
      const greedy = Array.from({ length: 60 }, async () => {
        const { status } = await api.call('POST', '/short-link', { destination, password: 'secret' });
        if (status === 201) order.push('greedy');
        return status;
      });
      const headers = { 'x-api-key': other.key };
      const [single, signIn] = [
        api
          .call('POST', '/short-link', { destination, password: 'mine' }, { headers })
          .finally(() => order.push('other')),
        api
          .call(
            'POST',
            '/auth/login',
            { email: 'a@example.com', password: 'wrong password' },
            { headers: { 'x-api-key': undefined } },
          )
          .finally(() => order.push('sign-in')),
      ];
      expect((await single).status).toBe(201);
      expect((await signIn).status).toBe(401);
      const statuses = await Promise.all(greedy);
      expect(new Set(statuses)).toEqual(new Set([201, 429]));
      // Most of the greedy calls were still at work when the others had their answers.
      const done = statuses.filter((status) => status === 201).length;
      const after = order.slice(Math.max(order.indexOf('other'), order.indexOf('sign-in')) + 1);
      expect(after.length).toBeGreaterThan(done / 2);
    },
  );
});
