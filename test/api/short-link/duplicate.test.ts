import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { plans } from '#core/organizations/plans.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createDomain, createFile, createFolder, createOrganization } from '#test/support/factories.ts';
import { createSignedIn } from '#test/support/people.ts';
import { insertRow } from '#test/support/rows.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a') => ({ type: 'link', value });

async function create(body: object = {}): Promise<Answer['body']> {
  const answer = await api.call('POST', '/short-link', { destination: link(), ...body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const duplicate = (id: string, body: object = {}, options?: object) =>
  api.call('POST', `/short-link/${id}/duplicate`, body, options);

const hashOf = async (id: string): Promise<unknown> =>
  (await api.db.query('select password_hash from short_links where id = $1', [id])).rows[0];

describe('POST /short-link/{id}/duplicate answers 201', () => {
  it('needs no body', async () => {
    const { id, slug } = await create();
    const answer = await api.call('POST', `/short-link/${id}/duplicate`);
    expect(answer.status).toBe(201);
    expect(answer.body.slug).not.toBe(slug);
  });

  it('answers 400 without naming a field where the domain of the link is lost', async () => {
    const domain = await createDomain(api.db, api.organization.id);
    const { id } = await create({ domainId: domain.id });
    await api.db.query('update domains set is_verified = false where id = $1', [domain.id]);
    const message = 'The domain of this link is not verified at present.';
    expect(await duplicate(id)).toMatchObject({ status: 400, body: { message, issues: [{ path: '', message }] } });
  });

  it('makes a link like the other, with a slug of its own, without external id and clicks', async () => {
    const { id: organizationId } = api.organization;
    const made = await create({
      slug: uuidv7(),
      externalId: uuidv7(),
      title: 'T',
      notes: 'N',
      isActive: false,
      password: 'secret',
      maxClicks: 5,
      expiresAt: '2040-01-01T00:00:00.000Z',
      expiredUrl: 'https://example.com/over',
      cloaking: true,
      forwardQuery: true,
      utmSource: 'mail',
      tags: ['b', 'a'],
      folderId: await createFolder(api.db, organizationId),
      qrCode: { options: { width: 300 }, imageId: await createFile(api.db, organizationId, 'qr-code') },
      metaTags: { title: 'M', imageId: await createFile(api.db, organizationId, 'meta-tag') },
      rules: [
        { priority: 2, countries: ['DE'], destination: link('https://example.com/de') },
        { priority: 1, osTypes: ['ios'], destination: { type: 'phone', value: '+4930123' } },
      ],
      destination: { ...link(), enableDeepLinking: true, iosDeepLink: 'app://open' },
    });
    await insertRow(api.db, 'link_counters', { link_id: made.id, clicks: 3 });
    const { status, body } = await duplicate(made.id);
    expect(status).toBe(201);
    const { id, slug, originUrl, destinationId, qrCodeId, createdAt, updatedAt } = body;
    const rules = made.rules.map((rule: object, index: number) => ({ ...rule, id: body.rules[index].id }));
    expect(body).toEqual({
      ...made,
      id,
      slug,
      originUrl,
      destinationId,
      qrCodeId,
      createdAt,
      updatedAt,
      rules,
      externalId: null,
      currentClicks: 0,
    });
    expect(slug).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/);
    for (const [name, own] of Object.entries({ id, destinationId, qrCodeId })) expect(own).not.toBe(made[name]);
    expect(await hashOf(id)).toEqual(await hashOf(made.id));
    expect((await api.call('GET', `/short-link/${id}`)).body).toEqual(body);
    expect((await api.call('GET', `/short-link/${id}/history`)).body).toEqual({ data: [], nextCursor: null });
  });

  it('takes a slug, sends link.created, and has destinations scanned as a create has', async () => {
    const { id } = await create({ destination: link('https://example.com/copied') });
    await api.db.query('delete from threat_verdicts');
    const slug = `copy-${uuidv7()}`;
    const { body } = await duplicate(id, { slug });
    expect(body.slug).toBe(slug);
    const { rows } = await api.db.query('select type, link_id as "linkId" from events where link_id = $1', [body.id]);
    expect(rows).toEqual([{ type: 'link.created', linkId: body.id }]);
    const { rows: scans } = await api.db.query('select due_at is not null as due from threat_verdicts');
    expect(scans).toEqual([{ due: true }]);
  });

  it('keeps the look of a link that has none, on a domain with a QR style', async () => {
    const made = await create({ qrCode: null });
    const { id: styleId } = await insertRow(api.db, 'qr_codes', {
      organization_id: api.organization.id,
      options: { margin: 4 },
    });
    await api.db.query('update domains set qr_code_id = $1 where id = $2', [styleId, made.domainId]);
    expect((await duplicate(made.id)).body.qrCode).toBeNull();
    await api.db.query('update domains set qr_code_id = null where id = $1', [made.domainId]);
  });

  it('copies an expired link as it is', async () => {
    const { id } = await create({ expiresAt: '2040-01-01T00:00:00.000Z' });
    await api.db.query(`update short_links set expires_at = '2020-01-01' where id = $1`, [id]);
    expect(await duplicate(id)).toMatchObject({ status: 201, body: { expiresAt: '2020-01-01T00:00:00.000Z' } });
  });
});

describe('POST /short-link/{id}/duplicate refuses', () => {
  it('answers 409 to a slug that is taken, and 400 to one that is none', async () => {
    const { id, slug } = await create();
    expect(await duplicate(id, { slug })).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
    expect(await duplicate(id, { slug: 'a/b' })).toMatchObject({ status: 400, body: { issues: [{ path: 'slug' }] } });
    expect(await duplicate(id, { title: 'x' })).toMatchObject({ status: 400, body: { issues: [{ path: 'title' }] } });
  });

  it('answers 403 where the plan allows no more links, and 404 once the link is deleted', async () => {
    const { id: organizationId, key } = await createOrganization(api.db);
    const options = { headers: { 'x-api-key': key } };
    const made = (await api.call('POST', '/short-link', { destination: link() }, options)).body;
    const { shortLinks } = plans.free;
    const links = Array.from({ length: shortLinks - 1 }, () => ({ destination: link() }));
    await api.call('POST', '/short-link/bulk', { links }, options);
    const { headers } = await createSignedIn(api.db, organizationId, 'owner');
    await api.db.query(`update organizations set plan = 'free' where id = $1`, [organizationId]);
    expect(await duplicate(made.id, {}, { headers })).toMatchObject({
      status: 403,
      body: { code: 'PLAN_LIMIT_REACHED' },
    });
    await api.call('DELETE', `/short-link/${made.id}`, undefined, { headers });
    expect((await duplicate(made.id, {}, { headers })).status).toBe(404);
  });
});
