// @module-tag slow

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isNameTakenDown, isTakenDownName } from '#db/links/slugs/taken-down-names.ts';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createPictures, fetchPublic } from '#test/support/pictures.ts';
import { createSignedIn, testPassword } from '#test/support/people.ts';
import { createStaff, refusalOf, type TestStaff } from '#test/support/tools.ts';
import { upload } from '#test/support/upload.ts';

let api: TestApi;
let staff: TestStaff;
const edge = useTestEdge();
beforeAll(async () => {
  const { databaseUrl, organization } = edge;
  api = await createTestApi({ besides: { databaseUrl, organization } });
  const home = await createOrganization(edge.db);
  staff = await createStaff(api.app, edge.db, home.id);
});
afterAll(() => api[Symbol.asyncDispose]());

const unknownId = '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10';
const reason = 'Reported as phishing by three visitors.';

/** How many transactions wait for the names of links that were taken down. */
async function countWaiting(): Promise<number> {
  const { rows } = await edge.db.query<{ count: number }>(
    `select count(*)::int from pg_locks where relation = 'taken_down_names'::regclass and not granted`,
  );
  return rows[0]!.count;
}

describe('links.takeDown', () => {
  it('a link that staff took down answers 404 within a second, and its organization cannot turn it on', async () => {
    const { id, slug } = await edge.link();
    const visit = async () => (await edge.visit(`/${slug}`)).status;
    expect(await visit()).toBe(302);
    const { takeDown, restore } = staff.tools.links;
    const takenDown = { reason, at: expect.stringMatching(/^\d{4}-.*Z$/) as string };
    expect(await takeDown.mutate({ id, reason: ` ${reason} ` })).toMatchObject({ id, isActive: false, takenDown });
    await eventually(visit, (status) => status === 404);

    const { body } = await api.call('GET', `/short-link/${id}`);
    expect(body).toMatchObject({ isActive: false, takenDown });
    const { body: list } = await api.call('GET', `/short-link/list?ids=${id}`);
    expect(list.data).toMatchObject([{ id, takenDown }]);
    const refusal = { code: 'FORBIDDEN', message: expect.stringContaining('taken this short link down'), reason };
    const turnOn = await api.call('PATCH', `/short-link/${id}`, { isActive: true });
    expect(turnOn).toMatchObject({ status: 403, body: refusal });
    const change = await api.call('PATCH', '/short-link/bulk', { ids: [id], change: { isActive: true } });
    expect(JSON.stringify(change.body)).toContain('FORBIDDEN');
    const { body: history } = await api.call('GET', `/short-link/${id}/history`);
    const undo = await api.call('POST', `/short-link/${id}/history/${history.data[0].id}/undo`);
    expect(undo).toMatchObject({ status: 403, body: refusal });
    expect((await refusalOf(staff.tools.links.setActive.mutate({ id, isActive: true }))).error).toMatchObject(refusal);
    // Everything else may be changed.
    expect((await api.call('PATCH', `/short-link/${id}`, { title: 'Mended' })).status).toBe(200);
    expect(await visit()).toBe(404);

    expect(await restore.mutate({ id })).toMatchObject({ id, isActive: true, takenDown: null });
    await eventually(visit, (status) => status === 302);
    expect((await api.call('PATCH', `/short-link/${id}`, { isActive: true })).status).toBe(200);
  });

  it('a link that was off before is off after its take-down too, and a second take-down gives another reason', async () => {
    const { id } = await edge.link({ isActive: false });
    const { takeDown, restore } = staff.tools.links;
    const first = await takeDown.mutate({ id, reason });
    const second = await takeDown.mutate({ id, reason: 'Malware.' });
    expect(second.takenDown).toEqual({ at: first.takenDown!.at, reason: 'Malware.' });
    expect(await restore.mutate({ id })).toMatchObject({ isActive: false, takenDown: null });
    expect((await refusalOf(restore.mutate({ id }))).error.code).toBe('CONFLICT');
  });

  it("visitors of a taken-down link, or of its name after a rename or a delete, never reach the domain's fallback", async () => {
    const { takeDown, restore } = staff.tools.links;
    const fallback = 'https://fallback.example/';
    const { id: domainId, domain } = await createDomain(edge.db, edge.organization.id, { fallbackUrl: fallback });
    const { id, slug } = await edge.link({ domainId });
    const off = await edge.link({ domainId, isActive: false });
    /** Where a visit leads, or its status. */
    const whereTo = async (name: string): Promise<string | number> => {
      const { status, headers } = await edge.visit(`/${name}`, { host: domain });
      return headers.location ?? status;
    };
    const leadsTo = (name: string, expected: string | number): Promise<unknown> =>
      eventually(
        () => whereTo(name),
        (answer) => answer === expected,
      );
    expect(await whereTo(off.slug)).toBe(fallback);
    expect(await whereTo('unknown')).toBe(fallback);
    await takeDown.mutate({ id: off.id, reason });
    await leadsTo(off.slug, 404);
    await restore.mutate({ id: off.id });
    await leadsTo(off.slug, fallback);

    await whereTo(slug);
    await takeDown.mutate({ id, reason });
    await leadsTo(slug, 404);
    expect((await api.call('PATCH', `/short-link/${id}`, { slug: `${slug}-b` })).status).toBe(200);
    await leadsTo(`${slug}-b`, 404);
    expect(await whereTo(slug)).toBe(404);
    expect(await whereTo(`${slug}).`)).toBe(404);
    expect((await api.call('DELETE', `/short-link/${id}`)).status).toBe(200);
    await leadsTo(`${slug}-b`, fallback);
    expect(await whereTo(slug)).toBe(404);
    await restore.mutate({ id });
    await leadsTo(slug, fallback);
  });

  it('a rename that found the name free before the take-down cannot use it once the link has left it', async () => {
    const { id, slug } = await edge.link();
    const { id: other } = await edge.link();
    const { rows } = await edge.db.query<{ domain: string }>(
      'select d.domain from short_links l join domains d on d.id = l.domain_id where l.id = $1',
      [id],
    );
    let leaving: Promise<number> | undefined;
    const renaming = emOf(edge.db).transactional(async (em) => {
      expect(await isNameTakenDown(em, { domain: rows[0]!.domain, slug, linkId: other })).toBe(false);
      leaving ??= (async () => {
        await staff.tools.links.takeDown.mutate({ id, reason });
        return (await api.call('DELETE', `/short-link/${id}`)).status;
      })();
      let isOver = false;
      void leaving.then(() => (isOver = true));
      await eventually(async () => isOver || (await countWaiting()) > 0);
      await em.query('update short_links set slug = $2 where id = $1', [other, slug]);
    });
    await expect(renaming).rejects.toThrow('duplicate key');
    expect(await leaving).toBe(200);
    const destination = { type: 'link', value: 'https://example.com/' };
    const again = { slug, domain: rows[0]!.domain, destination };
    expect((await api.call('POST', '/short-link', again)).status).toBe(409);
  });

  it('a take-down waits for creates that have looked for names', async () => {
    const { id } = await edge.link();
    const order: string[] = [];
    let takingDown: Promise<unknown> | undefined;
    await emOf(edge.db).transactional(async (em) => {
      await em.query(
        `select 1 from domains x where not ${isTakenDownName('x.id', `'any'`)} and x.domain = 'no.example.com'`,
      );
      takingDown = staff.tools.links.takeDown.mutate({ id, reason }).then(() => order.push('taken down'));
      await eventually(countWaiting, (count) => count > 0);
      order.push('created');
    });
    await takingDown;
    expect(order).toEqual(['created', 'taken down']);
  });

  it('a take-down needs a reason and a link', async () => {
    const { takeDown, restore } = staff.tools.links;
    const { id } = await edge.link();
    for (const wrong of ['', '  ', 'x'.repeat(501)])
      expect((await refusalOf(takeDown.mutate({ id, reason: wrong }))).error).toMatchObject({
        code: 'VALIDATION_ERROR',
        issues: [{ path: 'reason' }],
      });
    expect((await refusalOf(takeDown.mutate({ id: unknownId, reason }))).error.code).toBe('NOT_FOUND');
    expect((await refusalOf(restore.mutate({ id: unknownId }))).error.code).toBe('NOT_FOUND');
  });
});

describe('files.takeDown', () => {
  it('a file that staff took down is gone within a second from its address, previews and QR codes', async () => {
    const { png } = await createPictures();
    const { body: image } = await upload(api, 'meta-tag', [{ content: png, filename: 'bad.png' }]);
    const { body: logo } = await upload(api, 'qr-code', [{ content: png }]);
    const { id, slug } = await edge.link({ metaTags: { title: 'A title', imageId: image.id } });
    const styled = await api.call('PATCH', `/short-link/${id}`, { qrCode: { options: {}, imageId: logo.id } });
    expect(styled.status).toBe(200);
    const crawler = { 'user-agent': 'facebookexternalhit/1.1' };
    const preview = async () => (await edge.visit(`/${slug}`, { headers: crawler })).body;
    const drawn = async () =>
      (await api.app.inject({ url: `/short-link/${id}/qr-code`, headers: { 'x-api-key': edge.organization.key } }))
        .body;
    const fetched = async () => (await fetchPublic(api, image.url)).statusCode;
    const etag = String((await fetchPublic(api, image.url)).headers.etag);
    expect(await preview()).toContain('https://files.example/files/');
    expect(await drawn()).toContain('<image');
    expect(await fetched()).toBe(200);

    const { files } = staff.tools;
    expect((await files.list.query({ search: image.url })).items).toMatchObject([{ id: image.id, name: 'bad.png' }]);
    expect((await files.list.query({ search: 'BAD' })).items).toMatchObject([{ id: image.id }]);
    expect((await files.list.query({ organizationId: unknownId })).items).toEqual([]);
    for (const file of [image, logo]) {
      const answer = await files.takeDown.mutate({ id: file.id, reason });
      expect(answer).toMatchObject({ id: file.id, takenDown: { reason } });
    }
    await eventually(fetched, (status) => status === 404);
    await eventually(preview, (page) => !page.includes('files.example'));
    expect(await drawn()).not.toContain('<image');
    // A copy of before is not confirmed.
    const confirmed = await fetchPublic(api, image.url, { headers: { 'if-none-match': etag } });
    expect([confirmed.statusCode, confirmed.headers['cache-control']]).toEqual([404, 'no-store']);
    expect((await api.call('GET', `/files/${image.id}`)).body).toMatchObject({ takenDown: { reason } });

    for (const file of [image, logo])
      expect(await files.restore.mutate({ id: file.id })).toMatchObject({ id: file.id, takenDown: null });
    await eventually(fetched, (status) => status === 200);
    await eventually(preview, (page) => page.includes('files.example'));
    expect(await drawn()).toContain('<image');
    expect((await refusalOf(files.restore.mutate({ id: image.id }))).error.code).toBe('CONFLICT');
    expect((await refusalOf(files.takeDown.mutate({ id: unknownId, reason }))).error.code).toBe('NOT_FOUND');
  });
});

describe('the reason of a suspension', () => {
  it('the reason of a suspension is told to keys, sessions, sign-ins and members until it ends', async () => {
    const { id, key } = await createOrganization(edge.db);
    const owner = await createSignedIn(edge.db, id, 'owner');
    const { suspend, resume } = staff.tools.organizations;
    expect(await suspend.mutate({ id, reason })).toMatchObject({ isSuspended: true, suspensionReason: reason });
    const refused = { status: 403, body: { code: 'FORBIDDEN', message: 'This organization is suspended.', reason } };
    const get = (headers: Record<string, string | undefined>, path = '/short-link/list') =>
      api.call('GET', path, undefined, { headers });
    expect(await get({ 'x-api-key': key })).toMatchObject(refused);
    expect(await get(owner.headers)).toMatchObject(refused);
    expect(await get(owner.headers, '/auth/session')).toMatchObject(refused);
    const own = await get(owner.headers, '/auth/organizations');
    expect(own.body).toMatchObject({
      data: [{ id, isSuspended: true, suspensionReason: reason }],
      supportContact: 'mailto:help@waymark.example',
    });
    const credentials = { email: owner.email, password: testPassword };
    const signIn = await api.call('POST', '/auth/login', credentials, { headers: { 'x-api-key': undefined } });
    expect(signIn).toMatchObject(refused);
    // Without a reason the earlier one stays; another one replaces it.
    expect((await suspend.mutate({ id })).suspensionReason).toBe(reason);
    expect((await suspend.mutate({ id, reason: 'Unpaid.' })).suspensionReason).toBe('Unpaid.');
    expect((await get({ 'x-api-key': key })).body.reason).toBe('Unpaid.');
    expect(await resume.mutate({ id })).toMatchObject({ isSuspended: false, suspensionReason: null });
    expect((await get(owner.headers, '/auth/session')).status).toBe(200);
    const { error } = await refusalOf(suspend.mutate({ id, reason: 'x'.repeat(501) }));
    expect(error.issues).toMatchObject([{ path: 'reason' }]);
  });
});

describe('the name of a link that staff took down', () => {
  const to = (slug: string, domainId?: string) => ({
    destination: { type: 'link', value: 'https://example.com/again' },
    slug,
    ...(domainId !== undefined && { domainId }),
  });
  const taken = { status: 409, body: { code: 'ALREADY_EXIST' } };

  it('leads nowhere by a rename, a delete and a new link, an upsert, a bulk call or a copy, until staff restore the link', async () => {
    const { body: bait } = await api.call('POST', '/short-link', to('lure'));
    const { id, slug } = bait;
    await staff.tools.links.takeDown.mutate({ id, reason });
    expect((await api.call('PATCH', `/short-link/${id}`, { slug: `${slug}-b` })).status).toBe(200);
    expect(await api.call('POST', '/short-link', to(slug))).toMatchObject(taken);
    const { body: other } = await api.call('POST', '/short-link', to('innocent'));
    expect(await api.call('PATCH', `/short-link/${other.id}`, { slug })).toMatchObject(taken);
    const checked = await api.call('POST', '/short-link/check', { link: to(slug) });
    expect(checked.body).toMatchObject({ isAccepted: false, code: 'ALREADY_EXIST', isSlugFree: false });
    expect(await api.call('PUT', '/short-link/upsert', to(slug))).toMatchObject(taken);
    const bulk = await api.call('POST', '/short-link/bulk', { links: [to(slug)] });
    expect(JSON.stringify(bulk.body)).toContain('ALREADY_EXIST');
    // The link itself may have it back.
    expect((await api.call('PATCH', `/short-link/${id}`, { slug })).status).toBe(200);
    expect((await api.call('DELETE', `/short-link/${id}`)).status).toBe(200);
    expect(await api.call('POST', '/short-link', to(slug))).toMatchObject(taken);

    expect(await staff.tools.links.restore.mutate({ id })).toBeNull();
    expect((await refusalOf(staff.tools.links.restore.mutate({ id }))).error.code).toBe('NOT_FOUND');
    expect((await api.call('POST', '/short-link', to(slug))).status).toBe(201);
  });

  it('leads nowhere where its domain is deleted and added again, and a restored link gives it free', async () => {
    const { organization, db } = edge;
    const first = await createDomain(db, organization.id, {});
    const { body: link } = await api.call('POST', '/short-link', to('bait', first.id));
    await staff.tools.links.takeDown.mutate({ id: link.id, reason });
    await db.query('update domains set deleted_at = now() where id = $1', [first.id]);
    await db.query('update short_links set deleted_at = now() where id = $1', [link.id]);
    const again = await createDomain(db, organization.id, { domain: first.domain });
    expect(await api.call('POST', '/short-link', to('bait', again.id))).toMatchObject(taken);
    const { body: free } = await api.call('POST', '/short-link', to('free', again.id));
    await staff.tools.links.takeDown.mutate({ id: free.id, reason });
    await staff.tools.links.restore.mutate({ id: free.id });
    expect((await api.call('PATCH', `/short-link/${free.id}`, { slug: 'moved' })).status).toBe(200);
    expect((await api.call('POST', '/short-link', to('free', again.id))).status).toBe(201);
  });
});
