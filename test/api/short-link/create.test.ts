import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createFile, createFolder, createOrganization } from '#test/support/factories.ts';
import { insertRow } from '#test/support/rows.ts';

const api = useTestApi();

const link = (value = 'https://example.com/a?b=1') => ({ type: 'link', value });
const create = (body: object) => api.call('POST', '/short-link', body);

describe('POST /short-link answers 201', () => {
  it('makes a link with nothing but a destination', async () => {
    const { status, body, headers } = await create({ destination: link() });
    expect(status).toBe(201);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).toMatchObject({
      organizationId: api.organization.id,
      folderId: api.organization.folderId,
      destination: { type: 'link', value: 'https://example.com/a?b=1', threatTypes: null, enableDeepLinking: false },
      domain: { domain: 'localhost', isPrimary: false, isVerified: true, createdAt: null },
      rules: [],
      tags: [],
      qrCode: null,
      qrCodeId: null,
      isActive: true,
      expiresAt: null,
      maxClicks: null,
      currentClicks: 0,
      hasPassword: false,
      cloaking: false,
      forwardQuery: false,
    });
    expect(body.slug).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/);
    expect(body.originUrl).toBe(`http://localhost:3001/${body.slug}`);
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('takes and returns every field of 3.1, password aside, and GET agrees', async () => {
    const imageId = await createFile(api.db, api.organization.id, 'meta-tag');
    const logoId = await createFile(api.db, api.organization.id, 'qr-code');
    const folderId = await createFolder(api.db, api.organization.id);
    const sent = {
      destination: {
        type: 'link',
        value: 'https://Example.com/ä?q=%20#f',
        enableDeepLinking: true,
        iosDeepLink: 'app://open',
        androidDeepLink: 'intent://open#Intent;end',
      },
      slug: 'grüße-🎉',
      folderId,
      title: 'Spring',
      externalId: 'crm-1',
      isActive: false,
      expiresAt: '2031-05-06T07:08:09.123+02:00',
      expiredUrl: 'https://example.org/over',
      maxClicks: 5,
      cloaking: true,
      forwardQuery: true,
      utmSource: 'a',
      utmMedium: 'b',
      utmCampaign: 'c',
      utmTerm: 'd',
      utmContent: 'e',
      tags: ['News', 'Sale'],
      metaTags: { title: 'T', description: 'D', imageId },
      qrCode: { options: { width: 300, dotsOptions: { type: 'dots', color: '#112233' } }, imageId: logoId },
    };
    const { status, body } = await create({ ...sent, password: 'secret', domain: 'localhost' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...sent,
      expiresAt: '2031-05-06T05:08:09.123Z',
      tags: [{ name: 'News' }, { name: 'Sale' }],
      metaTags: { ...sent.metaTags, image: { id: imageId, key: `meta-tag/${imageId}.png` } },
      hasPassword: true,
    });
    expect(body.originUrl).toBe(`http://localhost:3001/${encodeURIComponent('grüße-🎉')}`);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect((await api.call('GET', `/short-link/${body.id}`)).body).toEqual(body);
    const { rows } = await api.db.query('select password_hash from short_links where id = $1', [body.id]);
    expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$/);
  });

  it('returns rules in priority order, equal priorities as given, conditions normalised', async () => {
    const rule = (priority: number, value: string, conditions: object) => ({
      priority,
      destination: link(value),
      ...conditions,
    });
    const { body } = await create({
      destination: link(),
      rules: [
        rule(5, 'https://example.com/5', { countries: ['de', 'DE', 'at'] }),
        rule(1, 'https://example.com/1a', { languages: ['DE-at', 'en'] }),
        rule(1, 'https://example.com/1b', { osTypes: ['ios'] }),
      ],
    });
    expect(body.rules).toMatchObject([
      {
        priority: 1,
        languages: ['de-AT', 'en'],
        countries: null,
        osTypes: null,
        destination: { value: 'https://example.com/1a' },
      },
      { priority: 1, osTypes: ['ios'], destination: { value: 'https://example.com/1b' } },
      { priority: 5, countries: ['DE', 'AT'], destination: { value: 'https://example.com/5' } },
    ]);
  });

  it('keeps a link byte for byte, and turns a phone number into E.164', async () => {
    const value = 'HTTPS://EXAMPLE.com:443/%7Eä?x=%zz&&y#ünï';
    expect((await create({ destination: link(value) })).body.destination.value).toBe(value);
    const phone = await create({ destination: { type: 'phone', value: '+49 (30) 123-45.67' } });
    expect(phone.body.destination).toMatchObject({ type: 'phone', value: '+49301234567', threatTypes: [] });
  });

  it('ignores threatTypes that a client sends', async () => {
    const { status, body } = await create({ destination: { ...link(), threatTypes: ['MALWARE'] } });
    expect(status).toBe(201);
    expect(body.destination.threatTypes).toBeNull();
  });

  it('creates unknown tags once, matched without regard to case, in the order given', async () => {
    const first = await create({ destination: link(), tags: [' Straße ', 'B'] });
    const second = await create({ destination: link(), tags: ['b', 'STRASSE'] });
    expect(first.body.tags.map((tag: { name: string }) => tag.name)).toEqual(['Straße', 'B']);
    expect(second.body.tags).toEqual(first.body.tags.toReversed());
  });

  it('prefers the verified primary domain, and inherits its QR template', async () => {
    const organization = await createOrganization(api.db);
    const domain = await createDomain(api.db, organization.id, { isPrimary: true });
    const { id: templateId } = await insertRow(api.db, 'qr_codes', {
      organization_id: organization.id,
      options: { margin: 2 },
    });
    await api.db.query('update domains set qr_code_id = $1 where id = $2', [templateId, domain.id]);
    const headers = { 'x-api-key': organization.key };
    const { body } = await api.call('POST', '/short-link', { destination: link(), slug: 'x' }, { headers });
    expect(body).toMatchObject({
      domain: { domain: domain.domain, isPrimary: true },
      originUrl: `http://${domain.domain}:3001/x`,
      qrCode: { options: { margin: 2 }, imageId: null },
    });
    expect(body.qrCodeId).not.toBe(templateId);
  });

  it('falls back to the platform domain while the primary one is not verified', async () => {
    const organization = await createOrganization(api.db);
    await createDomain(api.db, organization.id, { isPrimary: true, isVerified: false });
    const headers = { 'x-api-key': organization.key };
    const { body } = await api.call('POST', '/short-link', { destination: link() }, { headers });
    expect(body.domain.domain).toBe('localhost');
  });

  it('writes the event and the wish for a scan in the same transaction, and wakes the relay', async () => {
    const before = api.wakes;
    const { body } = await create({ destination: link('https://example.com/scan-me'), slug: 'with-event' });
    const { rows } = await api.db.query<{ body: string }>('select body from events where link_id = $1', [body.id]);
    expect(JSON.parse(rows[0]!.body)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'link.created',
      createdAt: body.createdAt,
      data: {
        link: {
          id: body.id,
          slug: 'with-event',
          shortUrl: body.originUrl,
          destination: { type: 'link', value: 'https://example.com/scan-me' },
          createdAt: body.createdAt,
        },
      },
    });
    const outbox = await api.db.query(`select 1 from outbox where kind = 'threat-scan' and subject_id = $1`, [
      body.destinationId,
    ]);
    expect(outbox.rowCount).toBe(1);
    expect(api.wakes).toBe(before + 1);
  });

  it('lets one slug live on two domains, and again once it is deleted', async () => {
    const domain = await createDomain(api.db, api.organization.id);
    expect((await create({ destination: link(), slug: 'twice' })).status).toBe(201);
    expect((await create({ destination: link(), slug: 'twice', domainId: domain.id })).status).toBe(201);
    await api.db.query(`update short_links set deleted_at = now() where slug = 'twice'`);
    expect((await create({ destination: link(), slug: 'twice' })).status).toBe(201);
  });
});
