import { describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, testPassword } from '#test/support/people.ts';
import { createToolsClient, refusalOf, useStaff } from '#test/support/tools.ts';

const api = useOwnTestApi();
const staff = useStaff(api);

const unknownId = '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10';

describe('organizations', () => {
  it('organizations.list shows the most recent first, in pages, by name and by the e-mail of a member', async () => {
    const { tools } = staff;
    const made = [];
    for (let index = 0; index < 3; index += 1) made.push(await createOrganization(api.db));
    const person = await createPerson(api.db, { [made[1]!.id]: 'owner' }, { email: 'grace@hopper.example' });
    await api.db.query(`update organizations set name = '100% Fish' where id = $1`, [made[2]!.id]);

    const first = await tools.organizations.list.query({ limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([made[2]!.id, made[1]!.id]);
    const second = await tools.organizations.list.query({ limit: 2, cursor: first.nextCursor! });
    expect(second.items.map(({ id }) => id)).toEqual([made[0]!.id, api.organization.id]);
    expect(second.nextCursor).toBeNull();
    expect((await tools.organizations.list.query()).items).toHaveLength(4);

    const search = async (text: string) =>
      (await tools.organizations.list.query({ search: text })).items.map(({ id }) => id);
    expect(await search('0% fISH')).toEqual([made[2]!.id]);
    expect(await search('hopper.EXAMPLE')).toEqual([made[1]!.id]);
    expect(await search('100_')).toEqual([]);
    expect(await tools.organizations.list.query({ organizationId: unknownId })).toEqual({
      items: [],
      nextCursor: null,
    });
    expect(person.email).toBe('grace@hopper.example');
  });
});

describe('organizations.create', () => {
  it('organizations.create makes an organization with its owner, who can sign in', async () => {
    const input = {
      name: ' Fresh ',
      plan: 'free',
      ownerEmail: 'New@Owner.example',
      ownerPassword: testPassword,
    } as const;
    const made = await staff.tools.organizations.create.mutate(input);
    expect(made).toMatchObject({
      name: 'Fresh',
      plan: 'free',
      isSuspended: false,
      owner: { email: 'new@owner.example' },
    });
    const signedIn = await api.call(
      'POST',
      '/auth/login',
      { email: 'new@owner.example', password: testPassword },
      {
        headers: { 'x-api-key': undefined },
      },
    );
    expect(signedIn).toMatchObject({ status: 200, body: { organization: { id: made.id, role: 'owner' } } });
    const read = await staff.tools.organizations.get.query({ id: made.id });
    expect(read).toMatchObject({
      id: made.id,
      counts: { members: 1, apiKeys: 0, shortLinks: 0, domains: 0, webhooks: 0 },
    });
  });
});

describe('organizations.delete', () => {
  it('organizations.delete deletes an organization with its rows at once, and nothing of others', async () => {
    const [gone, kept] = [await createOrganization(api.db), await createOrganization(api.db)];
    const body = { destination: { type: 'link', value: 'https://deleted.example/' } };
    const callAs = (key: string, method: 'GET' | 'POST', url: string) =>
      api.call(method, url, method === 'POST' ? body : undefined, { headers: { 'x-api-key': key } });
    for (const { key } of [gone, kept]) expect((await callAs(key, 'POST', '/short-link')).status).toBe(201);
    const person = await createPerson(api.db, { [gone.id]: 'owner', [kept.id]: 'member' });
    const wakes = api.wakes;

    expect(await staff.tools.organizations.delete.mutate({ id: gone.id })).toEqual({ rowCount: 1 });
    expect(api.wakes).toBe(wakes + 1);
    expect((await callAs(gone.key, 'GET', '/short-link/list')).status).toBe(401);
    expect((await callAs(kept.key, 'GET', '/short-link/list')).body.count).toBe(1);
    const { items } = await staff.tools.organizations.list.query({ organizationId: gone.id });
    expect(items).toEqual([]);
    expect((await staff.tools.links.search.query({ organizationId: gone.id })).items).toEqual([]);
    const members = await staff.tools.members.list.query({ search: person.email });
    expect(members.items.map(({ organizationId }) => organizationId)).toEqual([kept.id]);
    const { rows } = await api.db.query('select kind, links from purges where id = $1', [gone.id]);
    expect(rows).toEqual([{ kind: 'organization', links: 1 }]);
  });

  it('organizations.delete answers 404 for an unknown or deleted organization, and serves the staff alone', async () => {
    const { id } = await createOrganization(api.db);
    const owner = await createSignedIn(api.db, id, 'owner');
    const refusal = await refusalOf(createToolsClient(api.app, owner.headers).organizations.delete.mutate({ id }));
    expect(refusal).toMatchObject({ httpStatus: 403, error: { code: 'FORBIDDEN' } });
    expect((await staff.tools.organizations.get.query({ id })).isSuspended).toBe(false);
    await staff.tools.organizations.delete.mutate({ id });
    for (const missing of [id, unknownId]) {
      expect(await refusalOf(staff.tools.organizations.delete.mutate({ id: missing }))).toMatchObject({
        httpStatus: 404,
        error: { code: 'NOT_FOUND', message: `There is no organization ${missing}.` },
      });
    }
  });
});
