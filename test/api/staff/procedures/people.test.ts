import { describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, joinOrganization, testPassword } from '#test/support/people.ts';
import { refusalOf, useStaff } from '#test/support/tools.ts';

const api = useOwnTestApi();
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
    const known = await createPerson(api.db, {});
    expect((await add(known.email)).userId).toBe(known.id);
    const credentials = { email: known.email, password: testPassword };
    expect((await api.call('POST', '/auth/login', credentials, { headers: { 'x-api-key': undefined } })).status).toBe(
      200,
    );
    const elsewhere = { organizationId: unknownId, email: known.email, role: 'member' } as const;
    expect((await refusalOf(staff.tools.members.add.mutate(elsewhere))).error.code).toBe('NOT_FOUND');
    const { items } = await staff.tools.members.list.query({ organizationId });
    expect(items.map(({ userId }) => userId).toSorted()).toEqual([added.userId, known.id].toSorted());
  });

  it('members.remove ends the member’s sessions and keys there, and refuses the last owner', async () => {
    const { id: organizationId, botId } = await createOrganization(api.db);
    const owner = await createSignedIn(api.db, organizationId, 'owner');
    const member = await createSignedIn(api.db, organizationId, 'member');
    const key = await createUserKey(api.db, organizationId, member.id);
    const read = async (headers: Record<string, string | undefined>) =>
      (await api.call('GET', '/short-link/list', undefined, { headers })).status;
    expect([await read(member.headers), await read({ 'x-api-key': key })]).toEqual([200, 200]);
    const remove = (userId: string) => staff.tools.members.remove.mutate({ organizationId, userId });
    expect(await remove(member.id)).toEqual({ rowCount: 1 });
    expect([await read(member.headers), await read({ 'x-api-key': key })]).toEqual([401, 401]);
    for (const id of [member.id, botId]) expect((await refusalOf(remove(id))).error.code).toBe('NOT_FOUND');
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

describe('people', () => {
  it('people.list and people.get show accounts with their organizations and browsers, and sessions end at once', async () => {
    const [one, two] = [await createOrganization(api.db), await createOrganization(api.db)];
    const person = await createSignedIn(api.db, one.id, 'owner');
    await joinOrganization(api.db, person.id, two.id, 'member');
    const { people } = staff.tools;
    const organizationIds = [one.id, two.id].toSorted();
    const shown = { id: person.id, email: person.email, name: 'Ada', isStaff: false, organizationIds };
    const moment = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const { items } = await people.list.query({ search: person.email.toUpperCase() });
    expect(items).toEqual([{ ...shown, createdAt: moment, lastSeenAt: moment }]);
    expect((await people.list.query({ organizationId: two.id })).items).toMatchObject([shown]);
    const first = await people.list.query({ limit: 1 });
    const second = await people.list.query({ limit: 1, cursor: first.nextCursor! });
    expect(first.items[0]!.id > second.items[0]!.id).toBe(true);
    expect(await people.get.query({ id: person.id })).toMatchObject({
      ...shown,
      memberships: [
        { organizationId: one.id, isSuspended: false, role: 'owner', joinedAt: moment },
        { organizationId: two.id, isSuspended: false, role: 'member', joinedAt: moment },
      ],
      sessions: [{ browser: null, os: null, createdAt: moment, lastSeenAt: moment }],
    });
    const session = () => api.call('GET', '/auth/session', undefined, { headers: person.headers });
    expect((await session()).status).toBe(200);
    expect(await people.endSessions.mutate({ id: person.id })).toEqual({ rowCount: 1 });
    expect((await session()).status).toBe(401);
    expect(await people.get.query({ id: person.id })).toMatchObject({ lastSeenAt: null, sessions: [] });
    expect((await refusalOf(people.get.query({ id: unknownId }))).error.code).toBe('NOT_FOUND');
    expect((await refusalOf(people.endSessions.mutate({ id: one.botId }))).error.code).toBe('NOT_FOUND');
  });
});
