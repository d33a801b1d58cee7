import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, testPassword } from '#test/support/people.ts';
import { refusalOf, useStaff } from '#test/support/tools.ts';

const api = useTestApi();
const staff = useStaff(api);

const unknownId = '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10';

describe('members', () => {
  it('members.list shows members of all organizations and of one, in pages, by e-mail and name', async () => {
    const { tools } = staff;
    const one = await createOrganization(api.db);
    const people = [];
    for (const role of ['owner', 'admin', 'member'] as const)
      people.push(await createPerson(api.db, { [one.id]: role }));
    const all = [];
    let cursor: string | undefined;
    do {
      const page = await tools.members.list.query({ limit: 2, cursor });
      all.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const names = all.map(({ organizationId, userId }) => `${organizationId}.${userId}`);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual([
      `${api.organization.id}.${staff.id}`,
      ...people.map(({ id }) => `${one.id}.${id}`).toSorted(),
    ]);
    const { items } = await tools.members.list.query({
      organizationId: one.id,
      search: people[1]!.email.toUpperCase(),
    });
    expect(items).toEqual([
      {
        organizationId: one.id,
        userId: people[1]!.id,
        email: people[1]!.email,
        name: 'Ada',
        role: 'admin',
        isStaff: false,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    ]);
    expect(await tools.members.list.query({ organizationId: unknownId })).toEqual({ items: [], nextCursor: null });
    const refusal = await refusalOf(tools.members.list.query({ cursor: one.id }));
    expect(refusal.error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'cursor' }] });
  });

  it('members.add adds a user, and a known one keeps the password', async () => {
    const { id: organizationId } = await createOrganization(api.db);
    const add = (email: string, password?: string) =>
      staff.tools.members.add.mutate({ organizationId, email, role: 'admin', password });
    expect((await refusalOf(add('linus@new.example'))).error.issues).toMatchObject([{ path: 'password' }]);
    expect((await refusalOf(add('linus@new.example', 'short'))).error.issues).toMatchObject([{ path: 'password' }]);
    const draft = { name: 'New', plan: 'free', ownerEmail: 'linus@new.example' } as const;
    for (const ownerPassword of [undefined, 'short']) {
      const { error } = await refusalOf(staff.tools.organizations.create.mutate({ ...draft, ownerPassword }));
      expect(error.issues).toMatchObject([{ path: 'ownerPassword' }]);
    }
    const added = await add('Linus@new.example', testPassword);
    expect(added).toMatchObject({ organizationId, email: 'linus@new.example', role: 'admin' });
    expect((await refusalOf(add('linus@new.example'))).error.code).toBe('ALREADY_EXIST');
    expect((await add(staff.email)).userId).toBe(staff.id);
    const elsewhere = { organizationId: unknownId, email: staff.email, role: 'member' } as const;
    expect((await refusalOf(staff.tools.members.add.mutate(elsewhere))).error.code).toBe('NOT_FOUND');
    const { items } = await staff.tools.members.list.query({ organizationId });
    expect(items.map(({ userId }) => userId).toSorted()).toEqual([added.userId, staff.id].toSorted());
  });

  it('members.remove ends the member’s sessions and keys there, and refuses the last owner', async () => {
    const { id: organizationId } = await createOrganization(api.db);
    const owner = await createSignedIn(api.db, organizationId, 'owner');
    const member = await createSignedIn(api.db, organizationId, 'member');
    const key = await createUserKey(api.db, organizationId, member.id);
    const read = async (headers: Record<string, string | undefined>) =>
      (await api.call('GET', '/short-link/list', undefined, { headers })).status;
    expect([await read(member.headers), await read({ 'x-api-key': key })]).toEqual([200, 200]);
    const remove = (userId: string) => staff.tools.members.remove.mutate({ organizationId, userId });
    expect(await remove(member.id)).toEqual({ rowCount: 1 });
    expect([await read(member.headers), await read({ 'x-api-key': key })]).toEqual([401, 401]);
    expect((await refusalOf(remove(member.id))).error.code).toBe('NOT_FOUND');
    expect((await refusalOf(remove(owner.id))).error.code).toBe('VALIDATION_ERROR');
    expect(await read(owner.headers)).toBe(200);
  });
});

describe('API keys', () => {
  it('API keys are listed without their values, and revoked at once', async () => {
    const { tools } = staff;
    const one = await createOrganization(api.db);
    const person = await createPerson(api.db, { [one.id]: 'admin' });
    const userKey = await createUserKey(api.db, one.id, person.id);
    const page = await tools.apiKeys.list.query({ organizationId: one.id, limit: 1 });
    const rest = await tools.apiKeys.list.query({ organizationId: one.id, cursor: page.nextCursor! });
    const listed = [...page.items, ...rest.items];
    expect(listed.map(({ last4 }) => last4)).toEqual([userKey.slice(-4), one.key.slice(-4)]);
    expect(rest.nextCursor).toBeNull();
    expect(JSON.stringify(listed)).not.toContain(one.key);
    const named = await tools.apiKeys.list.query({ search: 'USER', organizationId: one.id });
    expect(named.items.map(({ id }) => id)).toEqual([listed[0]!.id]);
    expect((await tools.apiKeys.list.query({})).items.length).toBeGreaterThan(2);

    const { id } = listed[1]!;
    expect(await tools.apiKeys.revoke.mutate({ id })).toEqual({ rowCount: 1 });
    const used = await api.call('GET', '/short-link/list', undefined, { headers: { 'x-api-key': one.key } });
    expect(used.status).toBe(401);
    expect((await refusalOf(tools.apiKeys.revoke.mutate({ id }))).error.code).toBe('NOT_FOUND');
  });
});
