// @module-tag process
// @module-tag nightly

import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';
import { expectWhole, type RaceCaller, useRaces, tally, times, unlike } from './race-fixture.ts';

// Some sixty calls at once, on two processes of the API over one database: names that all of them want, and quotas.

const races = useRaces();

const leadsTo = (value = 'https://example.com/') => ({ destination: { type: 'link', value } });

async function organize(plan: 'free' | 'premium' = 'premium'): Promise<TestOrganization> {
  const organization = await createOrganization(races.db, { plan });
  if (plan === 'premium') await races.warm(organization);
  return organization;
}

describe('a free organization', () => {
  let free: TestOrganization;
  let caller: RaceCaller;
  beforeAll(async () => {
    free = await organize('free');
    caller = await createSignedIn(races.db, free.id, 'owner');
  });

  it('gets what its plan allows and no more, by any caller and any route', async () => {
    const bulk = { links: times(4).map((index) => ({ ...leadsTo(), tags: [`bulk ${index}`] })) };
    const answers = await Promise.all(
      times(8).flatMap((index) => [
        races.call(caller, 'POST', '/short-link', { ...leadsTo(), tags: [`tag ${index}`] }),
        races.call(caller, 'POST', '/short-link/bulk', bulk),
        races.call(caller, 'POST', '/short-link', leadsTo()),
        races.call(caller, 'PUT', '/short-link/upsert', { ...leadsTo(), externalId: `e${index % 5}` }),
        races.call(caller, 'POST', '/tag', { name: `own ${index}` }),
        races.call(caller, 'POST', '/folder', { name: `folder ${index}` }),
        races.call(caller, 'POST', '/domain', { domain: `d${index}.free.example` }),
      ]),
    );
    expect(unlike(answers, 200, 201, 403)).toEqual(new Map());
    const found = await expectWhole(races, free, caller);
    expect(found).toMatchObject({ links: 10, tags: 3, folders: 1, domains: 1, primaryDomains: 1 });
    await races.expectCalm();
  });
});

describe('a premium organization', () => {
  it('gets 100 tags, 100 folders and 100 domains', async () => {
    const organization = await organize();
    const post = (path: string, body: object) => races.call(organization, 'POST', path, body);
    for (const start of [0, 20, 40, 60, 80, 100]) {
      const answers = await Promise.all(
        times(20).flatMap((index) => [
          post('/folder', { name: `folder ${start + index}` }),
          post('/domain', { domain: `d${start + index}.premium.example` }),
          index % 2 === 0
            ? post('/tag', { name: `tag ${start + index}` })
            : post('/short-link', { ...leadsTo(), tags: [`tag ${start + index}`] }),
        ]),
      );
      expect(unlike(answers, 201, 403)).toEqual(new Map());
    }
    expect(await expectWhole(races, organization)).toMatchObject({
      tags: 100,
      folders: 100,
      domains: 100,
      primaryDomains: 1,
    });
    await races.expectCalm();
  });

  it('of several things with one name one is made, the others are refused', async () => {
    const organization = await organize();
    const made = async (path: string, body: object): Promise<Record<number, number>> =>
      tally(await Promise.all(times(10).map(() => races.call(organization, 'POST', path, body))));
    expect(
      await Promise.all([
        made('/tag', { name: 'Straße' }),
        made('/folder', { name: 'One' }),
        made('/domain', { domain: 'one.example' }),
        made('/short-link', { ...leadsTo(), slug: 'one' }),
        made('/short-link', { ...leadsTo(), externalId: 'one' }),
        made('/webhook', { url: 'https://one.example/hook', events: ['link.created'] }),
      ]),
    ).toEqual(times(6).map(() => ({ 201: 1, 409: 9 })));
    await expectWhole(races, organization);
    await races.expectCalm();
  });

  it('a name goes to one of the things that are made with it or renamed to it at once', async () => {
    const organization = await organize();
    for (const kind of ['tag', 'folder']) {
      const own = await Promise.all(
        times(20).map((index) => races.call(organization, 'POST', `/${kind}`, { name: `${kind} ${index}` })),
      );
      for (const name of times(5).map((index) => `wanted ${index}`)) {
        const answers = await Promise.all(
          own.flatMap(({ body }, index) => [
            races.call(organization, 'PATCH', `/${kind}/${body.id}`, { name }),
            kind === 'tag' && index % 2 === 0
              ? races.call(organization, 'POST', '/short-link', { ...leadsTo(), tags: [name] })
              : races.call(organization, 'POST', `/${kind}`, { name }),
          ]),
        );
        expect(unlike(answers, 200, 201, 409)).toEqual(new Map());
        const { body } = await races.call(organization, 'GET', `/${kind}/list?search=${encodeURIComponent(name)}`);
        expect(body.count).toBe(1);
      }
    }
    await expectWhole(races, organization);
    await races.expectCalm();
  });
});

describe('upserts', () => {
  it('upserts of one externalId make one link', async () => {
    const organization = await organize();
    const answers = await Promise.all(
      times(50).map((index) =>
        races.call(organization, 'PUT', '/short-link/upsert', {
          ...leadsTo(),
          externalId: 'mine',
          title: `t${index}`,
          tags: [`tag ${index % 7}`],
        }),
      ),
    );
    expect(tally(answers)).toEqual({ 200: 49, 201: 1 });
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await expectWhole(races, organization)).toMatchObject({ links: 1 });
    await races.expectCalm();
  });

  it('upserts beside creates and deletes find or make the link, and are never refused', async () => {
    const organization = await organize();
    for (const round of times(4)) {
      const names = [{ externalId: `e${round}` }, { slug: `s${round}` }];
      const answers = await Promise.all(
        times(10).flatMap(() =>
          names.flatMap((name) => [
            races.call(organization, 'PUT', '/short-link/upsert', { ...leadsTo(), ...name }).then(async (answer) => {
              await races.call(organization, 'DELETE', `/short-link/${answer.body.id}`);
              return answer;
            }),
            races.call(organization, 'PUT', '/short-link/upsert', { ...leadsTo(), ...name }),
            races.call(organization, 'POST', '/short-link', { ...leadsTo(), ...name }).then((answer) => {
              expect([201, 409]).toContain(answer.status);
              return { ...answer, status: 200 };
            }),
          ]),
        ),
      );
      expect(unlike(answers, 200, 201, 404)).toEqual(new Map());
    }
    await expectWhole(races, organization);
    await races.expectCalm();
  });
});
