// @module-tag process
// @module-tag nightly

import { describe, expect, it } from 'vitest';
import { removeMember } from '#commands/organizations/members.ts';
import { resumeOrganization, suspendOrganization, updateOrganization } from '#commands/organizations/organizations.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, createUserKey, everyPermission, openTestSession } from '#test/support/people.ts';
import { expectWhole, type RaceAnswer, type RaceCaller, useRaces, tally, times, unlike } from './race-fixture.ts';

// Who may call, and how much, changes while many calls are under way on two processes of the API over one database. What began
// before the change may end after it; what begins after it is under the new rule, on both.

const races = useRaces();

const leadsTo = { destination: { type: 'link', value: 'https://example.com/' } };
const create = (caller: RaceCaller, body: object = {}): Promise<RaceAnswer> =>
  races.call(caller, 'POST', '/short-link', { ...leadsTo, ...body });

const callers = 25;

/** Calls all the while, from many at once, until `change` is done; then some more. */
async function during(
  begin: (index: number) => Promise<RaceAnswer>,
  change: () => Promise<unknown>,
): Promise<{ before: RaceAnswer[]; after: RaceAnswer[] }> {
  const before: RaceAnswer[] = [];
  let count = 0;
  const done = new AbortController();
  const underWay = Promise.withResolvers<void>();
  const lane = async (): Promise<void> => {
    while (!done.signal.aborted) {
      before.push(await begin((count += 1)));
      if (before.length === 2 * callers) underWay.resolve();
    }
  };
  const lanes = times(callers).map(() => lane());
  await Promise.race([underWay.promise, Promise.all(lanes)]);
  await change();
  const after = await Promise.all(times(20).map(() => begin((count += 1))));
  done.abort();
  await Promise.all(lanes);
  return { before, after };
}

describe('a downgrade while links, tags, folders and domains are made', () => {
  it('a downgrade during creates leaves no more than the new quotas, and deletes nothing', async () => {
    const organization = await createOrganization(races.db);
    const session = await createSignedIn(races.db, organization.id, 'owner');
    const kinds = [
      (index: number) => create(session, { tags: [`t${index % 10}`] }),
      (index: number) => races.call(session, 'POST', '/folder', { name: `f${index}` }),
      (index: number) => races.call(session, 'POST', '/domain', { domain: `d${index}.example` }),
      () => races.call(session, 'POST', '/short-link/bulk', { links: times(3).map(() => leadsTo) }),
    ];
    const { before, after } = await during(
      (index) => kinds[index % kinds.length]!(index),
      () => emOf(races.db).transactional((em) => updateOrganization(em, organization.id, { plan: 'free' })),
    );
    expect(unlike(before, 201, 403)).toEqual(new Map());
    const rows = after.flatMap((answer) => answer.body.results ?? [answer]) as RaceAnswer[];
    expect(tally(rows)).toEqual({ 403: rows.length });
    await expectWhole(races, organization, session);
    await races.expectCalm();
  });

  it('a downgrade refuses keys from the next call on', async () => {
    const organization = await createOrganization(races.db);
    await races.warm(organization);
    const { before, after } = await during(
      () => create(organization),
      () => emOf(races.db).transactional((em) => updateOrganization(em, organization.id, { plan: 'free' })),
    );
    expect(unlike(before, 201, 403)).toEqual(new Map());
    expect(tally(after)).toEqual({ 403: 20 });
    await races.expectCalm();
  });
});

describe('a member', () => {
  it('who is removed while their key makes links and their session is used makes no more', async () => {
    const organization = await createOrganization(races.db);
    const person = await createPerson(races.db, { [organization.id]: 'admin' });
    const key = { key: await createUserKey(races.db, organization.id, person.id) };
    const session = { headers: await openTestSession(races.db, person.id, organization.id) };
    const { before, after } = await during(
      (index) => create(index % 2 === 0 ? key : session, { tags: [`t${index % 10}`] }),
      () =>
        emOf(races.db).transactional((em) => removeMember(em, { organizationId: organization.id, userId: person.id })),
    );
    expect(unlike(before, 201, 401)).toEqual(new Map());
    expect(tally(after)).toEqual({ 401: 20 });
    const { rows } = await races.db.query('select 1 from api_keys where user_id = $1 and deleted_at is null', [
      person.id,
    ]);
    expect(rows).toHaveLength(0);
    await expectWhole(races, organization);
    await races.expectCalm();
  });

  it('who is removed while keys are made for them is left without one', async () => {
    for (const _ of times(5)) {
      const organization = await createOrganization(races.db);
      const owner = await createSignedIn(races.db, organization.id, 'owner');
      const person = await createSignedIn(races.db, organization.id, 'admin');
      const body = { type: 'user', name: 'k', permissions: everyPermission };
      const answers = await Promise.all([
        ...times(10).map(() => races.call(person, 'POST', '/api-key', body)),
        emOf(races.db)
          .transactional((em) => removeMember(em, { organizationId: organization.id, userId: person.id }))
          .then(() => ({ status: 200 })),
        ...times(10).map(() => races.call(owner, 'POST', '/api-key', body)),
      ]);
      // 404: the key was gone again before it could be shown.
      expect(unlike(answers, 200, 201, 400, 401, 404, 409)).toEqual(new Map());
      const { rows } = await races.db.query(
        `select user_id from api_keys where organization_id = $1 and type = 'user' and deleted_at is null`,
        [organization.id],
      );
      expect(rows).toEqual([{ user_id: owner.id }]);
    }
    await races.expectCalm();
  });
});

describe('a suspension', () => {
  it('a suspension refuses the next call of keys and sessions, and its end lets them call again', async () => {
    const organization = await createOrganization(races.db);
    const session = await createSignedIn(races.db, organization.id, 'owner');
    const begin = (index: number) => create(index % 2 === 0 ? organization : session, { tags: [`t${index % 10}`] });
    const suspended = await during(begin, () =>
      emOf(races.db).transactional((em) => suspendOrganization(em, organization.id, { now: new Date() })),
    );
    expect(unlike(suspended.before, 201, 403)).toEqual(new Map());
    expect(tally(suspended.after)).toEqual({ 403: 20 });
    const resumed = await during(begin, () =>
      emOf(races.db).transactional((em) => resumeOrganization(em, organization.id)),
    );
    expect(unlike(resumed.before, 201, 403)).toEqual(new Map());
    expect(tally(resumed.after)).toEqual({ 201: 20 });
    await expectWhole(races, organization);
    await races.expectCalm();
  });
});

describe('a key', () => {
  it('that is revoked by another makes no more, and there is one bot key at most', async () => {
    const organization = await createOrganization(races.db);
    const owner = await createSignedIn(races.db, organization.id, 'owner');
    const { body } = await races.call(owner, 'GET', '/api-key/list');
    const { before, after } = await during(
      () => create(organization),
      () => races.call(owner, 'DELETE', `/api-key/${body.data[0].id}`),
    );
    expect(unlike(before, 201, 401)).toEqual(new Map());
    expect(tally(after)).toEqual({ 401: 20 });
    const draft = { type: 'bot', name: 'b', permissions: { shortLinks: ['read'] } };
    const made = await Promise.all(times(30).map(() => races.call(owner, 'POST', '/api-key', draft)));
    expect(tally(made)).toEqual({ 201: 1, 409: 29 });
    await races.expectCalm();
  });
});
