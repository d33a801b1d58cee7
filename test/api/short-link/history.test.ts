// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { toActivityRow } from '#core/audit/activity.ts';
import { keepChanges } from '#db/links/changes.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createDomain } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';
import { useStaff } from '#test/support/tools.ts';

const api = useTestApi();
const staff = useStaff(api);

const link = (value = 'https://example.com/a') => ({ type: 'link', value });

async function create(body: object = {}): Promise<Answer['body']> {
  const answer = await api.call('POST', '/short-link', { destination: link(), ...body });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function change(id: string, body: object): Promise<Answer['body']> {
  const answer = await api.call('PATCH', `/short-link/${id}`, body);
  expect(answer.status).toBe(200);
  return answer.body;
}

const history = (id: string, query = '') => api.call('GET', `/short-link/${id}/history${query}`);

async function changesOf(id: string): Promise<Answer['body'][]> {
  const { status, body } = await history(id, '?limit=50');
  expect(status).toBe(200);
  return body.data;
}

describe('GET /short-link/{id}/history', () => {
  it('shows the changes of a link, newest first, with caller, moment and the fields before and after', async () => {
    const { id, updatedAt } = await create({ title: 'One', tags: ['a'] });
    expect((await history(id)).body).toEqual({ data: [], nextCursor: null });
    const renamed = await change(id, { title: 'Two', tags: ['b', 'a'] });
    const moved = await change(id, { destination: link('https://example.com/b') });
    const { rows } = await api.db.query(
      'select id, user_id as "userId", name from api_keys where organization_id = $1',
      [api.organization.id],
    );
    const { id: keyId, userId, name } = rows[0]!;
    const by = { type: 'key', userId, keyId, name, client: null };
    const shown = (value: string) => ({
      ...link(value),
      enableDeepLinking: false,
      iosDeepLink: null,
      androidDeepLink: null,
    });
    expect((await history(id)).body).toEqual({
      data: [
        {
          id: expect.any(String),
          at: moved.updatedAt,
          by,
          changes: [
            {
              field: 'destination',
              before: shown('https://example.com/a'),
              after: shown('https://example.com/b'),
            },
          ],
          undoes: null,
        },
        {
          id: expect.any(String),
          at: renamed.updatedAt,
          by,
          changes: [
            { field: 'tags', before: ['a'], after: ['b', 'a'] },
            { field: 'title', before: 'One', after: 'Two' },
          ],
          undoes: null,
        },
      ],
      nextCursor: null,
    });
    expect(renamed.updatedAt > updatedAt).toBe(true);
  });

  it('has no entry for a call that changes nothing, or that is refused', async () => {
    const { id } = await create({ title: 'Same' });
    await change(id, { title: 'Same' });
    expect((await api.call('PATCH', `/short-link/${id}`, { folderId: uuidv7() })).status).toBe(404);
    expect(await changesOf(id)).toEqual([]);
  });

  it('shows of passwords only whether there was one', async () => {
    const { id } = await create();
    for (const password of ['first secret', 'second secret', null]) await change(id, { password });
    const changes = await changesOf(id);
    expect(changes.map((entry) => entry.changes)).toEqual([
      [{ field: 'hasPassword', before: true, after: false }],
      [{ field: 'hasPassword', before: true, after: true }],
      [{ field: 'hasPassword', before: false, after: true }],
    ]);
    const { rows } = await api.db.query('select fields::text as fields from link_changes where link_id = $1', [id]);
    expect(JSON.stringify(rows)).not.toMatch(/secret|argon2/);
  });

  it('tells changes by members and by staff from those by keys', async () => {
    const { id } = await create();
    const { id: userId, headers } = await createSignedIn(api.db, api.organization.id, 'member');
    const answer = await api.call('PATCH', `/short-link/${id}`, { title: 'By hand' }, { headers });
    expect(answer.status).toBe(200);
    await staff.tools.links.setActive.mutate({ id, isActive: false });
    const [byStaff, byMember] = await changesOf(id);
    expect(byStaff.by).toEqual({ type: 'staff', userId: null, keyId: null, name: null, client: null });
    expect(byMember.by).toEqual({ type: 'member', userId, keyId: null, name: expect.any(String), client: null });
  });

  it('keeps each change of bulk calls and upserts, also two of one link, and none of a row that is refused', async () => {
    const [one, two] = [await create({ slug: `bulk-${uuidv7()}`, title: '0' }), await create()];
    const { body } = await api.call('PATCH', '/short-link/bulk', {
      links: [
        { id: one.id, title: '1' },
        { id: two.id, title: 'x', slug: one.slug },
        { id: one.id, title: '2' },
      ],
    });
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([200, 409, 200]);
    const { slug } = one;
    await api.call('PUT', '/short-link/upsert', { destination: link(), slug, title: '3' });
    expect((await changesOf(one.id)).map((entry) => entry.changes)).toEqual([
      [{ field: 'title', before: '2', after: '3' }],
      [{ field: 'title', before: '1', after: '2' }],
      [{ field: 'title', before: '0', after: '1' }],
    ]);
    expect(await changesOf(two.id)).toEqual([]);
  });

  it('is read in pages by a cursor, each change once, while more are made', async () => {
    const { id } = await create({ title: '0' });
    for (let title = 1; title <= 5; title += 1) await change(id, { title: `${title}` });
    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; query !== '' && page < 9; page += 1) {
      const { body } = await history(id, query);
      expect(body.data.length).toBeLessThanOrEqual(2);
      seen.push(...body.data.map((entry: Answer['body']) => entry.changes[0].after));
      query = body.nextCursor === null ? '' : `?limit=2&cursor=${body.nextCursor}`;
      await change(id, { title: `later ${page}` });
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
  });

  it('answers 400 to a wrong cursor', async () => {
    const { id } = await create();
    expect(await history(id, '?cursor=x')).toMatchObject({ status: 400, body: { issues: [{ path: 'cursor' }] } });
  });
});

describe('the bounds of a history', () => {
  const actor = () =>
    ({ organizationId: api.organization.id, plan: 'premium', userId: uuidv7(), permissions: {} }) as const;
  const startMs = Date.UTC(2030, 0, 1);
  let second = 0;

  /** Keeps changes of a link in one statement, whose titles are as long as `lengths` says. */
  async function keep(linkId: string, lengths: readonly number[]): Promise<void> {
    const changes = lengths.map((length) => {
      second += 1;
      const fields = { title: { before: null, after: 'x'.repeat(length) } };
      return { linkId, at: new Date(startMs + second * 1_000), fields, undoes: null };
    });
    const activity = { action: 'shortLink.updated', subjectId: linkId, name: null } as const;
    const row = toActivityRow(actor(), api.organization.id, activity, new Date());
    await keepChanges(api.db, changes, row);
  }

  async function numbersOf(linkId: string): Promise<{ count: number; first: number; last: number }> {
    const { rows } = await api.db.query<{ count: number; first: number; last: number }>(
      'select count(*)::int as count, min(number) as first, max(number) as last from link_changes where link_id = $1',
      [linkId],
    );
    return rows[0]!;
  }

  it('keeps the 200 newest changes, and removes older ones some at a time', async () => {
    const [full, other] = [uuidv7(), uuidv7()];
    await keep(other, [1]);
    for (let call = 0; call < 22; call += 1)
      await keep(
        full,
        Array.from({ length: 10 }, () => 1),
      );
    expect(await numbersOf(full)).toEqual({ count: 220, first: 1, last: 220 });
    await keep(full, [1]);
    expect(await numbersOf(full)).toEqual({ count: 200, first: 22, last: 221 });
    await keep(full, [1]);
    expect(await numbersOf(full)).toEqual({ count: 201, first: 22, last: 222 });
    expect(await numbersOf(other)).toEqual({ count: 1, first: 1, last: 1 });
  });

  it('keeps 1 MiB of changes of a link, and always the newest one', async () => {
    const large = uuidv7();
    for (let call = 0; call < 5; call += 1) await keep(large, [300_000]);
    expect(await numbersOf(large)).toEqual({ count: 4, first: 2, last: 5 });
    await keep(large, [2_000_000]);
    expect(await numbersOf(large)).toMatchObject({ last: 6, first: 6 });
  });
});

describe('POST /short-link/{id}/history/{changeId}/undo', () => {
  const undo = (id: string, changeId: string, options?: object) =>
    api.call('POST', `/short-link/${id}/history/${changeId}/undo`, undefined, options);

  it('sets every field back, sends link.updated, and is a change that can be undone itself', async () => {
    const domain = await createDomain(api.db, api.organization.id);
    const folder = (await api.call('POST', '/folder', { name: 'Undo' })).body;
    const before = await create({
      slug: `before-${uuidv7()}`,
      title: 'Before',
      tags: ['one', 'two'],
      expiresAt: '2040-01-01T00:00:00.000Z',
      maxClicks: 7,
      utmSource: 'mail',
      rules: [{ priority: 1, countries: ['DE'], destination: link('https://example.com/de') }],
    });
    const after = await change(before.id, {
      slug: `after-${uuidv7()}`,
      domainId: domain.id,
      folderId: folder.id,
      destination: link('https://example.com/changed'),
      title: 'After',
      tags: ['two', 'three'],
      externalId: uuidv7(),
      isActive: false,
      expiresAt: null,
      expiredUrl: 'https://example.com/over',
      maxClicks: null,
      cloaking: true,
      forwardQuery: true,
      utmSource: null,
      notes: 'Changed',
      rules: [],
      qrCode: { options: { width: 400 } },
      metaTags: { title: 'Preview' },
    });
    const [entry] = await changesOf(before.id);
    const undone = await undo(before.id, entry.id);
    expect(undone.status).toBe(200);
    const [ruleBefore] = before.rules;
    const rules = [{ ...ruleBefore, id: undone.body.rules[0].id }];
    expect(undone.body).toEqual({ ...before, rules, updatedAt: undone.body.updatedAt });
    const { rows: events } = await api.db.query(
      `select body::jsonb #> '{data,previous}' as previous from events where link_id = $1 and type = 'link.updated' order by id desc limit 1`,
      [before.id],
    );
    expect(events[0]!.previous).toMatchObject({ title: 'After', slug: after.slug, domainId: domain.id });
    const [second, first] = await changesOf(before.id);
    expect(second.undoes).toBe(first.id);
    const again = await undo(before.id, second.id);
    expect(again.status).toBe(200);
    // The style of its QR code was removed, and is made anew.
    const { updatedAt, qrCodeId } = again.body;
    expect(again.body).toEqual({ ...after, updatedAt, qrCodeId });
  });

  it('leaves fields alone that later changes have set', async () => {
    const { id } = await create({ title: 'One' });
    await change(id, { title: 'Two' });
    await change(id, { notes: 'Kept' });
    const [, titled] = await changesOf(id);
    expect((await undo(id, titled.id)).body).toMatchObject({ title: 'One', notes: 'Kept' });
  });

  it('answers 409 and names the fields that later changes have touched, even where they are back', async () => {
    const { id } = await create({ title: 'One' });
    for (const body of [{ title: 'Two', notes: 'N' }, { title: 'Three' }, { title: 'Two' }]) await change(id, body);
    const [, , first] = await changesOf(id);
    expect(await undo(id, first.id)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', issues: [{ path: 'title', message: 'has been changed since' }] },
    });
    expect(await changesOf(id)).toHaveLength(3);
  });

  it('answers 409 where the delete of a tag or folder has changed a field', async () => {
    const folder = (await api.call('POST', '/folder', { name: 'Short-lived' })).body;
    const { id } = await create();
    const { tags } = await change(id, { tags: ['short-lived'], folderId: folder.id, title: 'T' });
    await api.call('DELETE', `/tag/${tags[0].id}`);
    await api.call('DELETE', `/folder/${folder.id}`);
    const [entry] = await changesOf(id);
    const { status, body } = await undo(id, entry.id);
    expect(status).toBe(409);
    expect(body.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(['folderId', 'tags']);
  });

  it('answers 409 to the undo of a password, and says why', async () => {
    const { id } = await create();
    await change(id, { password: 'secret', title: 'T' });
    const [entry] = await changesOf(id);
    const { status, body } = await undo(id, entry.id);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    expect(body.message).toContain('earlier passwords are not kept');
    expect(body.issues).toEqual([{ path: 'hasPassword', message: 'cannot be restored' }]);
  });

  it('answers 400 where an update would, as for an end that is over', async () => {
    const { id } = await create({ expiresAt: '2031-01-01T00:00:00.000Z' });
    await api.db.query(`update short_links set expires_at = '2020-01-01' where id = $1`, [id]);
    await change(id, { expiresAt: null });
    const [entry] = await changesOf(id);
    expect(await undo(id, entry.id)).toMatchObject({ status: 400, body: { issues: [{ path: 'expiresAt' }] } });
  });

  it('answers 409 where the earlier slug is taken, and 404 where the earlier folder is gone', async () => {
    const slug = `taken-${uuidv7()}`;
    const folder = (await api.call('POST', '/folder', { name: 'Gone' })).body;
    const { id, folderId } = await create({ slug });
    await change(id, { slug: `other-${uuidv7()}` });
    const [renamed] = await changesOf(id);
    await create({ slug });
    expect(await undo(id, renamed.id)).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
    await change(id, { folderId: folder.id });
    await change(id, { folderId });
    const [back] = await changesOf(id);
    await api.call('DELETE', `/folder/${folder.id}`);
    expect(await undo(id, back.id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('answers 409 where If-Match does not hold, and 404 to a change of another link', async () => {
    const [{ id }, other] = [await create(), await create()];
    await change(id, { title: 'T' });
    const [entry] = await changesOf(id);
    expect(
      await undo(id, entry.id, { headers: { 'x-api-key': api.organization.key, 'if-match': '"m2k8x1"' } }),
    ).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    });
    expect((await undo(other.id, entry.id)).status).toBe(404);
    expect((await undo(id, uuidv7())).status).toBe(404);
  });

  it('has the earlier destination scanned again', async () => {
    const { id } = await create({ destination: link('https://example.com/scanned') });
    await change(id, { destination: link('https://example.com/elsewhere') });
    await api.db.query('delete from threat_verdicts');
    const [entry] = await changesOf(id);
    expect((await undo(id, entry.id)).status).toBe(200);
    const { rows } = await api.db.query('select due_at is not null as due from threat_verdicts');
    expect(rows).toEqual([{ due: true }]);
  });
});
