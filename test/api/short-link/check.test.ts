import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';

const api = useTestApi();
const destination = { type: 'link', value: 'https://example.com/' };
const check = (body: unknown, headers: Record<string, string | undefined> = {}) =>
  api.call('POST', '/short-link/check', body, { headers });
const fine = { isAccepted: true, code: null, message: null, issues: [] };

let counter = 0;
const newSlug = (): string => `checked-${Date.now()}-${(counter += 1)}`;

async function counts(): Promise<unknown> {
  const { rows } = await api.db.query(
    `select (select count(*) from short_links) as links, (select count(*) from tags) as tags,
       (select count(*) from events) as events, (select count(*) from outbox) as outbox,
       (select count(*) from threat_verdicts) as verdicts, (select count(*) from link_changes) as changes`,
  );
  return rows[0];
}

describe('POST /short-link/check', () => {
  it('answers 200 to a link that would be made, and writes nothing', async () => {
    const before = await counts();
    const link = { destination, slug: newSlug(), tags: [`new ${newSlug()}`.slice(0, 30)], password: 'secret words' };
    expect(await check({ link })).toMatchObject({ status: 200, body: { ...fine, isSlugFree: true } });
    expect(await check({ link: { destination } })).toMatchObject({ status: 200, body: { ...fine, isSlugFree: null } });
    expect(await counts()).toEqual(before);
    expect((await api.call('POST', '/short-link', link)).status).toBe(201);
  });

  it('tells a slug that is taken, whatever else is wrong', async () => {
    const slug = newSlug();
    expect((await api.call('POST', '/short-link', { destination, slug })).status).toBe(201);
    const taken = await check({ link: { destination, slug } });
    expect(taken).toMatchObject({
      status: 200,
      body: { isAccepted: false, code: 'ALREADY_EXIST', message: expect.stringContaining('slug'), isSlugFree: false },
    });
    const both = await check({ link: { destination: { type: 'link', value: 'ftp://example.com' }, slug } });
    expect(both.body).toMatchObject({
      isAccepted: false,
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'destination.value' }],
      isSlugFree: false,
    });
    expect((await check({ link: { slug: newSlug() } })).body).toMatchObject({
      issues: [{ path: 'destination', message: 'is required' }],
      isSlugFree: true,
    });
  });

  it('answers what a create would: a wrong slug, an unknown folder, a quota that is used up', async () => {
    for (const link of [
      { destination, slug: 'a b' },
      { destination, folderId: uuidv7() },
      { destination, colour: 'red' },
      { destination, expiresAt: '2001-01-01T00:00:00Z' },
    ]) {
      const made = await api.call('POST', '/short-link', link);
      const { code, message, issues = [] } = made.body;
      expect((await check({ link })).body).toMatchObject({ isAccepted: false, code, message, issues });
    }
    const full = await createOrganization(api.db, { plan: 'free' });
    // The free plan has no keys.
    const { headers: key } = await createSignedIn(api.db, full.id, 'owner');
    for (let index = 0; index < 10; index += 1)
      expect((await api.call('POST', '/short-link', { destination }, { headers: key })).status).toBe(201);
    expect((await check({ link: { destination, slug: newSlug() } }, key)).body).toMatchObject({
      isAccepted: false,
      code: 'PLAN_LIMIT_REACHED',
      isSlugFree: null,
    });
  });

  it('refuses a member called __proto__ by its name, as a create does', async () => {
    const body = JSON.parse(
      `{ "link": { "destination": ${JSON.stringify(destination)}, "__proto__": { "slug": "a" } } }`,
    );
    expect(await check(body)).toMatchObject({ status: 400, body: { issues: [{ path: 'link.__proto__' }] } });
  });

  it('checks a change of a link by its id', async () => {
    const { body: one } = await api.call('POST', '/short-link', { destination, slug: newSlug() });
    const { body: other } = await api.call('POST', '/short-link', { destination, slug: newSlug() });
    expect((await check({ id: one.id, link: { slug: one.slug } })).body).toMatchObject({ ...fine, isSlugFree: true });
    expect((await check({ id: one.id, link: { slug: other.slug } })).body).toMatchObject({
      code: 'ALREADY_EXIST',
      isSlugFree: false,
    });
    expect((await check({ id: one.id, link: { title: 'x'.repeat(10_000) } })).body).toMatchObject({
      issues: [{ path: 'title' }],
      isSlugFree: null,
    });
    expect((await check({ id: uuidv7(), link: { title: 'x' } })).body).toMatchObject({ code: 'NOT_FOUND' });
    const foreign = await createOrganization(api.db);
    expect((await check({ id: one.id, link: { title: 'x' } }, { 'x-api-key': foreign.key })).body).toMatchObject({
      isAccepted: false,
      code: 'FORBIDDEN',
    });
    expect((await api.call('GET', `/short-link/${one.id}`)).body).toMatchObject({ title: null, slug: one.slug });
  });
});
