// @module-tag process
// @module-tag nightly

import { describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import {
  expectWhole,
  type RaceAnswer,
  type Races,
  startRaces,
  tally,
  times,
  unlike,
  useRaces,
} from './race-fixture.ts';

// Many calls at once, on two processes of the API over one database, that make and change the same links.

const races = useRaces();
// By night three times as many.
const many = (count: number): number[] => times(3 * count);

const leadsTo = (value = 'https://example.com/') => ({ destination: { type: 'link', value } });

async function organize(on: Races = races): Promise<TestOrganization> {
  const organization = await createOrganization(on.db);
  await on.warm(organization);
  return organization;
}

describe('bulk creates', () => {
  const send = (organization: TestOrganization, links: object[], on = races) =>
    on.call(organization, 'POST', '/short-link/bulk', { links });
  const rowsOf = (answers: readonly RaceAnswer[]): { status: number }[] => answers.flatMap(({ body }) => body.results);

  it('bulk creates sent repeatedly at once make each link once', async () => {
    const organization = await organize();
    const links = times(20).map((index) => ({
      ...leadsTo(),
      ...(index % 3 === 0 ? { slug: `same-${index}` } : { externalId: `same-${(index * 7) % 20}` }),
      ...(index % 4 === 0 ? { tags: [`tag ${index}`] } : {}),
    }));
    const answers = await Promise.all(many(10).map(() => send(organization, links)));
    expect(unlike(answers, 201)).toEqual(new Map());
    expect(tally(rowsOf(answers))).toEqual({ 201: 20, 409: 20 * (answers.length - 1) });
    expect(await expectWhole(races, organization)).toMatchObject({ links: 20, tags: 5 });
    await races.expectCalm();
  });

  it('bulk creates that fail leave no tags behind, and count none against the plan', async () => {
    const organization = await organize();
    const answers = await Promise.all(
      many(10).map((index) =>
        send(
          organization,
          times(8).map((row) => ({ ...leadsTo(), slug: `slug-${row}`, tags: [`tag ${index}.${row}`] })),
        ),
      ),
    );
    expect(tally(rowsOf(answers))).toEqual({ 201: 8, 409: 8 * (answers.length - 1) });
    expect(await expectWhole(races, organization)).toMatchObject({ links: 8, tags: 8 });
    await races.expectCalm();
  });

  // By day, `test/db/connection` has transactions that a deadlock ended run again.
  it('bulk creates and changes of the same names, in any order, are all answered', async () => {
    // Deadlocks are allowed here, their transactions run again. PostgreSQL counts them up to a second late, so that they would be
    // taken for those of the next test on the same database.
    await using own = await startRaces();
    const organization = await organize(own);
    const made = await send(
      organization,
      times(10).map(() => leadsTo()),
      own,
    );
    const ids = made.body.results.map(({ data }: { data: { id: string } }) => data.id);
    const answers = await Promise.all(
      times(16).map((index) =>
        index % 2 === 0
          ? send(
              organization,
              times(6).map((row) => ({
                ...leadsTo(),
                slug: `any-${row}`,
                externalId: `any-${(row * 5 + index) % 6}`,
              })),
              own,
            )
          : own.call(organization, 'PATCH', '/short-link/bulk', {
              links: times(3).map((row) => ({ id: ids[(row + index) % 10], slug: `any-${(row * 5 + index) % 6}` })),
            }),
      ),
    );
    expect(unlike(answers, 200, 201)).toEqual(new Map());
    expect(unlike(rowsOf(answers), 200, 201, 409)).toEqual(new Map());
    await expectWhole(own, organization);
  });
});

describe('one Idempotency-Key', () => {
  it.each([
    ['/short-link', { ...leadsTo(), tags: ['once'] }],
    ['/short-link/bulk', { links: times(5).map(() => leadsTo()) }],
    ['/tag', { name: 'once' }],
    ['/domain', { domain: 'once.example' }],
  ])('of 20 calls of %s at once lets one make something', async (path, body) => {
    const organization = await organize();
    const key = { 'idempotency-key': 'the same' };
    const answers = await Promise.all(times(20).map(() => races.call(organization, 'POST', path, body, key)));
    const made = answers.filter(({ status }) => status === 201);
    expect(unlike(answers, 201, 409)).toEqual(new Map());
    expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    const replayed = await races.call(organization, 'POST', path, body, key);
    expect(replayed).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    for (const one of made) expect(one.body).toEqual(replayed.body);
    const found = await expectWhole(races, organization);
    expect(found.links).toBe(path === '/short-link/bulk' ? 5 : path === '/short-link' ? 1 : 0);
    expect(found.tags + found.domains).toBe(path === '/short-link/bulk' ? 0 : 1);
    await races.expectCalm();
  });
});

describe('changes of the same links', () => {
  it('changes of one link come one after the other: rules, tags and destination are those of one call', async () => {
    const organization = await organize();
    const { body: link } = await races.call(organization, 'POST', '/short-link', leadsTo());
    const options = { margin: 3 };
    const version = (index: number) => ({
      ...leadsTo(`https://example.com/${index}`),
      title: `v${index}`,
      tags: [`tag ${index}`, `more ${index}`],
      qrCode: index % 2 === 0 ? null : { options },
      rules: times((index % 3) + 1).map((rule) => ({
        priority: rule,
        countries: ['DE'],
        ...leadsTo(`https://example.com/${index}/${rule}`),
      })),
    });
    const answers = await Promise.all(
      many(14).map((index) => races.call(organization, 'PATCH', `/short-link/${link.id}`, version(index))),
    );
    expect(unlike(answers, 200)).toEqual(new Map());
    const { body } = await races.call(organization, 'GET', `/short-link/${link.id}`);
    const last = version(Number(body.title.slice(1)));
    expect(body.destination.value).toBe(last.destination.value);
    expect(body.tags.map(({ name }: { name: string }) => name)).toEqual(last.tags);
    expect(body.rules.map((rule: typeof last) => rule.destination.value)).toEqual(
      last.rules.map((rule) => rule.destination.value),
    );
    await expectWhole(races, organization);
    await races.expectCalm();
  });

  it('beside bulk changes and deletes: each is answered, each deleted link has one event', async () => {
    const organization = await organize();
    const made = await races.call(organization, 'POST', '/short-link/bulk', {
      links: times(20).map((index) => ({ ...leadsTo(), slug: `many-${index}`, tags: [`tag ${index % 4}`] })),
    });
    const ids: string[] = made.body.results.map(({ data }: { data: { id: string } }) => data.id);
    const shuffled = (seed: number) => ids.toSorted((a, b) => hash(a, seed) - hash(b, seed));
    const answers = await Promise.all(
      many(4).flatMap((index) => [
        races.call(organization, 'PATCH', '/short-link/bulk', {
          links: shuffled(index).map((id) => ({ id, title: `b${index}`, tags: [`tag ${index % 4}`, `b${index % 3}`] })),
        }),
        races.call(organization, 'PATCH', `/short-link/${ids[index]}`, { tags: ['single'], slug: `moved-${index}` }),
        races.call(organization, 'DELETE', '/short-link/bulk', { ids: shuffled(index).slice(0, 2) }),
        races.call(organization, 'POST', '/short-link/bulk', {
          links: times(5).map((row) => ({ ...leadsTo(), slug: `many-${(row * 7 + index) % 20}`, tags: ['again'] })),
        }),
      ]),
    );
    expect(unlike(answers, 200, 201, 404, 409)).toEqual(new Map());
    const rows = answers.flatMap(({ body }) => body.results ?? []) as { status: number }[];
    expect(unlike(rows, 200, 201, 404, 409)).toEqual(new Map());
    await expectWhole(races, organization);
    await races.expectCalm();
  });
});

/** Some order of ids, another for each seed. */
function hash(text: string, seed: number): number {
  let value = seed + 1;
  for (const character of text) value = (value * 31 + character.codePointAt(0)!) % 1_000_003;
  return value;
}
