import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { AppError } from '#core/errors/errors.ts';
import { deleteLinks } from '#commands/links/delete.ts';
import { createLinks } from '#commands/links/create/create.ts';
import type { Actor } from '#core/audit/actor.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { type LinkListQuery, listLinks } from '#db/links/list.ts';
import { testSite, useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createManyLinks } from '#test/support/edge-factories.ts';
import { isNight } from '#test/support/night.ts';

const api = useOwnTestApi();

async function createActor(): Promise<Actor> {
  const { id, botId } = await createOrganization(api.db);
  return { organizationId: id, userId: botId, plan: 'premium', permissions: {} };
}

const options = () => ({ site: testSite, now: new Date() });
const draft = (value: string) => createLinkSchema.parse({ destination: { type: 'link', value } });
const requests = (actor: Actor, count: number) =>
  Array.from({ length: count }, (_, index) => ({ actor, draft: draft(`https://example.com/${index}`) }));

const list = ({ organizationId }: Actor, query: Partial<LinkListQuery> = {}) =>
  listLinks(api.em, { organizationId, limit: 10, page: 0, ...query });

async function make(actor: Actor, count: number): Promise<string[]> {
  const results = await api.em.transactional((em) => createLinks(em, requests(actor, count), options()));
  return results.flatMap((result) => (result instanceof AppError ? [] : result.id));
}

describe('the count of a list', () => {
  it('is exact while many transactions create and delete links at once', async () => {
    const [actor, other] = [await createActor(), await createActor()];
    const ids = await make(actor, 30);
    await Promise.all([
      ...Array.from({ length: 12 }, () => make(actor, 5)),
      make(other, 7),
      ...ids.slice(0, 20).map((id) => api.em.transactional((em) => deleteLinks(em, actor, [id], options()))),
    ]);
    expect((await list(actor)).count).toBe(30 + 12 * 5 - 20);
    expect((await list(other)).count).toBe(7);
    expect((await list(await createActor())).count).toBe(0);
  });

  it('does not count links that were rolled back, deleted before, or refused', async () => {
    const actor = await createActor();
    const [id] = await make(actor, 2);
    await expect(
      api.em.transactional(async (em) => {
        await createLinks(em, requests(actor, 3), options());
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    for (let time = 0; time < 2; time += 1)
      await api.em.transactional((em) => deleteLinks(em, actor, [id!], options()));
    const taken = { actor, draft: createLinkSchema.parse({ ...draft('https://example.com/'), slug: 'taken' }) };
    await api.em.transactional((em) => createLinks(em, [taken, taken], options()));
    expect((await list(actor)).count).toBe(2);
  });

  it('follows links that are moved, restored and removed', async () => {
    const [actor, other] = [await createActor(), await createActor()];
    const ids = await make(actor, 4);
    const set = (assignment: string, id: string) =>
      api.db.query(`update short_links set ${assignment} where id = $1`, [id]);
    await set('deleted_at = now()', ids[0]!);
    expect((await list(actor)).count).toBe(3);
    await set('deleted_at = null', ids[0]!);
    expect((await list(actor)).count).toBe(4);
    await set(`organization_id = '${other.organizationId}'`, ids[1]!);
    await api.db.query('delete from destinations where link_id = any($1)', [ids]);
    await api.db.query('delete from short_links where id = $1', [ids[2]]);
    expect([(await list(actor)).count, (await list(other)).count]).toEqual([2, 1]);
  });
});

describe('a search', () => {
  it('counts and pages exactly, with few matches and with thousands', async () => {
    const actor = await createActor();
    const { rows } = await api.db.query<{ domain: string; folder: string }>(
      `select (select id from domains where organization_id is null) as domain,
         (select id from folders where organization_id = $1) as folder`,
      [actor.organizationId],
    );
    const { organizationId } = actor;
    await createManyLinks(api.db, { organizationId, domainId: rows[0]!.domain, folderId: rows[0]!.folder }, 6_000);
    const slugsOf = async (ids: readonly string[]) => {
      const found = await api.db.query<{ id: string; slug: string }>(
        'select id, slug from short_links where id = any($1)',
        [ids],
      );
      return ids.map((id) => found.rows.find((row) => row.id === id)!.slug);
    };
    const all = await list(actor, { search: 'number', limit: 2, page: 1 });
    expect(all.count).toBe(6_000);
    expect(await slugsOf(all.ids)).toEqual(['many-5998', 'many-5997']);
    const few = await list(actor, { search: 'number599', limit: 3, page: 1 });
    expect(few.count).toBe(11);
    expect(await slugsOf(few.ids)).toEqual(['many-5996', 'many-5995', 'many-5994']);
    expect(await list(actor, { search: 'number599', limit: 0 })).toMatchObject({ count: 11, ids: [] });
    expect(await list(actor, { search: 'number', folderIds: [uuidv7()] })).toMatchObject({ count: 0, ids: [] });
  });
});

describe('a search term', () => {
  it('finds the links that contain it, at any length and with any characters', { tags: 'slow' }, async () => {
    const actor = await createActor();
    const character = fc.constantFrom(...Array.from('abca/b.c-d%_\\éß😀0'));
    const text = (minLength: number, maxLength: number) =>
      fc.array(character, { minLength, maxLength }).map((characters) => characters.join(''));
    const texts = fc.sample(text(1, 120), { numRuns: 60, seed: 7 });
    await api.em.transactional((em) => createLinks(em, requests(actor, texts.length), options()));
    await api.db.query(
      `update short_links l set search_text = t.text from (
         select id, row_number() over (order by id) as place from short_links where organization_id = $1) n
       join unnest($2::text[]) with ordinality t (text, place) using (place) where l.id = n.id`,
      [actor.organizationId, texts],
    );
    // A part of a text, now and then with a character of its own.
    const term = fc
      .tuple(fc.constantFrom(...texts), fc.nat(100), fc.integer({ min: 1, max: 60 }), text(0, 1))
      .map(
        ([whole, from, length, more]) =>
          Array.from(whole)
            .slice(from, from + length)
            .join('') + more,
      )
      .filter((part) => part !== '');
    await fc.assert(
      fc.asyncProperty(term, async (search) => {
        const { count, ids } = await list(actor, { search, limit: 100 });
        expect(count).toBe(texts.filter((whole) => whole.includes(search)).length);
        expect(ids).toHaveLength(count);
      }),
      { numRuns: isNight ? 300 : 60 },
    );
  });
});
