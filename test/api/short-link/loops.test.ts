// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, createTestApi, type TestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';

// Two processes over one database: what one writes the other must see.
let apis: [TestApi, TestApi];
beforeAll(async () => {
  const first = await createTestApi();
  apis = [first, await createTestApi({ besides: first })];
});
afterAll(async () => {
  await apis[1][Symbol.asyncDispose]();
  await apis[0][Symbol.asyncDispose]();
});

/** Slugs that no link has. */
const slugs = (count: number): string[] => Array.from({ length: count }, () => `s${uuidv7().slice(-12)}`);
const away = { type: 'link', value: 'https://example.com/' };
const here = (slug: string, host = 'localhost') => ({ type: 'link', value: `http://${host}:3001/${slug}` });
const make = (slug: string, fields: object, api = apis[0]): Promise<Answer> =>
  api.call('POST', '/short-link', { destination: away, slug, ...fields });
const change = (id: string, fields: object, api = apis[0]): Promise<Answer> =>
  api.call('PATCH', `/short-link/${id}`, fields);
const pathOf = ({ status, body }: Answer): unknown[] => [status, body.issues?.[0].path];

describe('links that lead to each other, made or changed at the same moment', () => {
  const sorted = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();

  test('two links that lead to each other are not both made, by whatever field they lead there', async () => {
    const ways = [
      (slug: string) => ({ destination: here(slug) }),
      (slug: string) => ({ rules: [{ priority: 0, osTypes: ['ios'], destination: here(slug) }] }),
      (slug: string) => ({ destination: { ...away, iosDeepLink: here(slug).value } }),
    ];
    for (let round = 0; round < 12; round += 1) {
      const [one, two] = slugs(2) as [string, string];
      const way = ways[round % ways.length]!;
      const answers = await Promise.all([make(one, way(two), apis[0]), make(two, way(one), apis[1])]);
      expect(sorted(answers)).toEqual([201, 400]);
    }
  });

  test('two links are not both changed to lead to each other, nor by an upsert or in bulk', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [one, two] = slugs(2) as [string, string];
      const [first, second] = [(await make(one, {})).body.id, (await make(two, {})).body.id];
      const last =
        round % 2 === 0
          ? change(second, { destination: here(one) }, apis[1])
          : apis[1].call('PUT', '/short-link/upsert', { slug: two, destination: here(one) });
      const bulk = apis[0].call('PATCH', '/short-link/bulk', { links: [{ id: first, destination: here(two) }] });
      const [row, answer] = await Promise.all([bulk, last]);
      expect([row.body.results[0].status, answer.status].toSorted()).toEqual([200, 400]);
    }
  });

  test('four links made at the same moment never form a circle', async () => {
    for (let round = 0; round < 6; round += 1) {
      const names = slugs(4);
      const answers = await Promise.all(
        names.map((slug, index) => make(slug, { destination: here(names[(index + 1) % 4]!) }, apis[index % 2])),
      );
      expect(sorted(answers)).toEqual([201, 201, 201, 400]);
    }
  });

  test('links that lead elsewhere wait for no other link', async () => {
    const client = await apis[0].db.pool.connect();
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtextextended('link chains', 0))`);
    const [slug] = slugs(1);
    expect((await make(slug!, {})).status).toBe(201);
    const waiting = make(slugs(1)[0]!, { destination: here(slug!) });
    // Nothing tells that a call does not go on: it is given a while.
    expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 200))])).toBeUndefined();
    await client.query('commit');
    client.release();
    expect((await waiting).status).toBe(201);
  });
});

describe('a chain of links that leads back', () => {
  /** Links that lead to each other in this order, and the last one to `end`. */
  async function chain(count: number, end: string): Promise<string[]> {
    const names = slugs(count);
    for (const [index, slug] of [...names.entries()].toReversed()) {
      expect((await make(slug, { destination: here(names[index + 1] ?? end) })).status).toBe(201);
    }
    return names;
  }

  test.each([1, 2, 3, 4, 5])('a chain of links that leads back over %d others is refused', async (count) => {
    const [own] = slugs(1) as [string];
    const [first] = await chain(count, own);
    expect(pathOf(await make(own, { destination: here(first!) }))).toEqual([400, 'destination.value']);
    const rules = [{ priority: 0, countries: ['DE'], destination: { ...away, androidDeepLink: here(first!).value } }];
    expect(pathOf(await make(own, { rules }))).toEqual([400, 'rules.0.destination.androidDeepLink']);
    const { body } = await make(own, {});
    expect(pathOf(await change(body.id, { destination: here(first!) }))).toEqual([400, 'destination.value']);
  });

  test('a chain of links that leads back within one bulk call is refused', async () => {
    const names = slugs(3);
    const links = names.map((slug, index) => ({ slug, destination: here(names[(index + 1) % 3]!) }));
    const { body } = await apis[0].call('POST', '/short-link/bulk', { links });
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 201, 400]);
  });

  test('a chain of links that leads back by an expiredUrl or a fallbackUrl is refused', async () => {
    const domain = await createDomain(apis[0].db, apis[0].organization.id);
    const [own, other, none] = slugs(3) as [string, string, string];
    const on = { domainId: domain.id };
    await make(other, { ...on, expiredUrl: here(own).value });
    expect(pathOf(await make(own, { destination: here(other, domain.domain) }))).toEqual([400, 'destination.value']);
    // The domain's fallback leads to a link, and that one to nothing on the domain, which is its fallback again.
    const { id } = (await make(own, {})).body;
    const patch = (fallbackUrl: string) => apis[0].call('PATCH', `/domain/${domain.id}`, { fallbackUrl });
    expect((await change(id, { destination: here(other, domain.domain) })).status).toBe(400);
    expect((await patch(here(own).value)).status).toBe(200);
    expect(pathOf(await change(id, { destination: here(none, domain.domain) }))).toEqual([400, 'destination.value']);
    expect((await patch('https://example.com/')).status).toBe(200);
    expect((await change(id, { destination: here(none, domain.domain) })).status).toBe(200);
    expect(pathOf(await patch(here(own).value))).toEqual([400, 'fallbackUrl']);
    expect((await patch(here(slugs(1)[0]!).value)).status).toBe(200);
  });

  test.each([')', '.', '!', '>', '/)', '&a', '%26a', '%3Fa', '%20', '%22', '%E2%80%8B'])(
    'a chain of links that leads back with %s pasted behind the slug is refused',
    async (tail) => {
      const domain = await createDomain(apis[0].db, apis[0].organization.id);
      const [own, other, last] = slugs(3) as [string, string, string];
      expect(pathOf(await make(own, { destination: here(own + tail) }))).toEqual([400, 'destination.value']);
      const on = { domainId: domain.id, destination: here(own + tail, domain.domain) };
      expect(pathOf(await make(own, on))).toEqual([400, 'destination.value']);
      const { body } = await make(own, {});
      expect(pathOf(await change(body.id, { destination: here(own + tail) }))).toEqual([400, 'destination.value']);
      expect((await make(other, { destination: here(own + tail) })).status).toBe(201);
      expect(pathOf(await change(body.id, { destination: here(other + tail) }))).toEqual([400, 'destination.value']);
      const link = { slug: last, destination: here(last + tail) };
      expect((await apis[0].call('POST', '/short-link/check', { link })).body.isAccepted).toBe(false);
    },
  );

  test.each(['', '/', '/?x', '/a/b', '//', '/%ff', '/nothing', '/nothing)'])(
    'a link and a fallback that lead to each other by %j behind the host are refused in either order',
    async (path) => {
      const domain = await createDomain(apis[0].db, apis[0].organization.id);
      const [own] = slugs(1) as [string];
      const destination = { type: 'link', value: `http://${domain.domain}:3001${path}` };
      const patch = (fallbackUrl: string | null) => apis[0].call('PATCH', `/domain/${domain.id}`, { fallbackUrl });
      const { id } = (await make(own, { destination })).body;
      expect(pathOf(await patch(here(own).value))).toEqual([400, 'fallbackUrl']);
      expect(pathOf(await patch(here(`${own})`).value))).toEqual([400, 'fallbackUrl']);
      expect((await change(id, { destination: away })).status).toBe(200);
      expect((await patch(here(own).value)).status).toBe(200);
      expect(pathOf(await change(id, { destination }))).toEqual([400, 'destination.value']);
    },
  );

  test('a chain of links that leads back over a domain that is not verified at present is refused', async () => {
    const { db, organization } = apis[0];
    const domain = await createDomain(db, organization.id);
    const [own, other, third] = slugs(3) as [string, string, string];
    await make(other, { domainId: domain.id, destination: here(own) });
    const { id } = (await make(third, {})).body;
    await db.query('update domains set is_verified = false where id = $1', [domain.id]);
    expect(pathOf(await make(own, { destination: here(other, domain.domain) }))).toEqual([400, 'destination.value']);
    await apis[0].call('PATCH', `/domain/${domain.id}`, { fallbackUrl: here(third).value });
    expect(pathOf(await change(id, { destination: here('', domain.domain) }))).toEqual([400, 'destination.value']);
  });

  test('a domain of another organization that was never verified refuses no link', async () => {
    const { db, organization } = apis[0];
    const other = await createOrganization(db);
    const domain = await createDomain(db, organization.id);
    const [own] = slugs(1) as [string];
    const claimed = { domain: domain.domain, isVerified: false, fallbackUrl: here(own).value };
    await createDomain(db, other.id, claimed);
    expect((await make(own, { destination: here('nothing', domain.domain) })).status).toBe(201);
  });

  test('two domains are not each the fallback of the other', async () => {
    const organizationId = apis[0].organization.id;
    const [one, two] = [await createDomain(apis[0].db, organizationId), await createDomain(apis[0].db, organizationId)];
    const patch = (id: string, host: string) =>
      apis[0].call('PATCH', `/domain/${id}`, { fallbackUrl: `http://${host}:3001/` });
    expect((await patch(one.id, two.domain)).status).toBe(200);
    expect(pathOf(await patch(two.id, one.domain))).toEqual([400, 'fallbackUrl']);
  });

  // Were the link on the domain deleted or turned off, its visitors would get the fallback.
  test('a fallback does not lead back to its domain, even to a link there', async () => {
    const domain = await createDomain(apis[0].db, apis[0].organization.id);
    const [own, other] = slugs(2) as [string, string];
    await make(other, { domainId: domain.id });
    await make(own, { destination: here(other, domain.domain) });
    const fallbackUrl = here(own).value;
    expect(pathOf(await apis[0].call('PATCH', `/domain/${domain.id}`, { fallbackUrl }))).toEqual([400, 'fallbackUrl']);
  });
});
