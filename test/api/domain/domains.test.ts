// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import {
  createDomain,
  createFile,
  createOrganization,
  findPlatformDomain,
  type TestOrganization,
} from '#test/support/factories.ts';

const api = useTestApi();

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });
let counter = 0;
const newName = (): string => `go${(counter += 1)}.customer.example`;
const add = (domain: unknown, organization = api.organization) =>
  api.call('POST', '/domain', { domain }, as(organization));
const platformId = (): Promise<string> => findPlatformDomain(api.db);

describe('POST /domain', () => {
  it('answers 201; the first of an organization is primary and has a QR template, the second neither', async () => {
    const organization = await createOrganization(api.db);
    const name = newName();
    const { status, body } = await add(`${name.toUpperCase()}.`, organization);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      domain: name,
      isActive: true,
      isVerified: false,
      isPrimary: true,
      txtRecord: expect.stringMatching(/^waymark-verify=[0-9a-f]{40}$/),
      lastCheckedAt: null,
      qrCodeId: expect.any(String),
      qrCode: { options: expect.objectContaining({ width: 300, height: 300, margin: 4 }), imageId: null },
      fallbackUrl: null,
      appleAppSiteAssociation: null,
      androidAssetLinks: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
      dns: {
        records: [
          {
            type: 'TXT',
            name: `_waymark.${name}`,
            value: body.txtRecord,
            where: expect.stringContaining(`At the DNS provider of ${name}`),
          },
        ],
      },
      warnings: [
        { path: 'dns.records', code: 'NO_EDGE_HOSTNAME', message: expect.stringContaining('EDGE_HOSTNAME is not set') },
      ],
    });
    const { dns: _, warnings: __, ...domain } = body;
    expect((await api.call('GET', `/domain/${body.id}`, undefined, as(organization))).body).toEqual(domain);
    const second = (await add('grüße.customer.example', organization)).body;
    expect(second).toMatchObject({
      domain: 'xn--gre-6ka8l.customer.example',
      isPrimary: false,
      qrCodeId: null,
      qrCode: null,
    });
    expect(second.txtRecord).not.toBe(body.txtRecord);
  });

  it.each([[{ domain: 'localhost' }], [{ domain: '*.a.example' }]])('answers 400 to %j', async (body) => {
    const answer = await api.call('POST', '/domain', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'domain' }] });
  });

  it("answers 400 to the platform's domains", async () => {
    const { domain } = await createDomain(api.db, null, { domain: 'links.platform.example' });
    expect((await add(domain)).body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: 'domain' }] });
    await api.db.query('update domains set deleted_at = now() where domain = $1', [domain]);
  });

  it('answers 409 to one that the organization has, and to one that another has verified', async () => {
    const name = newName();
    expect((await add(name)).status).toBe(201);
    expect((await add(name)).body.code).toBe('ALREADY_EXIST');
    const other = await createOrganization(api.db);
    expect((await add(name, other)).status).toBe(201);
    await api.db.query('update domains set is_verified = true where domain = $1 and organization_id = $2', [
      name,
      other.id,
    ]);
    const third = await createOrganization(api.db);
    const { status, body } = await add(name, third);
    expect(status).toBe(409);
    expect(body.code).toBe('ALREADY_EXIST');
  });
});

describe('GET /domain/list', () => {
  it('answers 200: by date of creation, in pages, searched, templates where asked for', async () => {
    const organization = await createOrganization(api.db);
    const names = ['one.customer.example', 'two.customer.example', 'grüße.example'];
    for (const name of names) await add(name, organization);
    const list = async (query = '') =>
      (await api.call('GET', `/domain/list${query}`, undefined, as(organization))).body;
    const namesOf = async (query: string) => (await list(query)).data.map(({ domain }: { domain: string }) => domain);
    const all = await list();
    expect(all.count).toBe(3);
    expect(all.data[0]).toEqual({
      id: expect.any(String),
      domain: 'one.customer.example',
      isPrimary: true,
      isVerified: false,
      isActive: true,
      createdAt: expect.any(String),
    });
    const stored = ['one.customer.example', 'two.customer.example', 'xn--gre-6ka8l.example'];
    expect(await namesOf('')).toEqual(stored);
    expect(await namesOf('?limit=1&page=1')).toEqual([stored[1]]);
    expect(await list('?limit=0')).toEqual({ count: 3, data: [] });
    expect(await namesOf('?search=CUSTOMER')).toEqual(stored.slice(0, 2));
    expect(await namesOf(`?search=${encodeURIComponent('Grüße.example')}`)).toEqual([stored[2]]);
    expect(await namesOf('?search=%25')).toEqual([]);
    const templates = (await list('?withQrCodeTemplate=1')).data.map(({ qrCode }: { qrCode: unknown }) => qrCode);
    expect(templates).toEqual([expect.objectContaining({ imageId: null }), null, null]);
  });
});

describe('GET /domain/all', () => {
  it("answers 200: the primary one, the organization's others, the platform's without a date", async () => {
    const organization = await createOrganization(api.db);
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await add(newName(), organization)).body.id);
    await api.call('PATCH', `/domain/${ids[1]}`, { isPrimary: true }, as(organization));
    const { status, body } = await api.call('GET', '/domain/all', undefined, as(organization));
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0], ids[2], await platformId()]);
    expect(body.at(-1)).toEqual({
      id: expect.any(String),
      domain: 'localhost',
      isPrimary: false,
      isVerified: true,
      isActive: true,
      createdAt: null,
    });
    expect(body[0].createdAt).toEqual(expect.any(String));
  });
});

describe('GET /domain/{id}/qr-code-data', () => {
  it("answers 200 with a short URL that is a scan, and the domain's template or a plain one", async () => {
    const organization = await createOrganization(api.db);
    const first = (await add(newName(), organization)).body;
    const read = async (id: string) =>
      (await api.call('GET', `/domain/${id}/qr-code-data`, undefined, as(organization))).body;
    const options = { width: 400, dotsOptions: { type: 'dots', color: '#112233' } };
    await api.call('PATCH', `/domain/${first.id}`, { qrCode: { options } }, as(organization));
    expect(await read(first.id)).toEqual({ url: `http://${first.domain}:3001/?qr=1`, options });
    const second = (await add(newName(), organization)).body;
    expect((await read(second.id)).options).toEqual(first.qrCode.options);

    // Without the address of the logo a client could not draw it.
    const imageId = await createFile(api.db, organization.id, 'qr-code');
    const { url } = (await api.call('GET', `/files/${imageId}`, undefined, as(organization))).body;
    await api.call('PATCH', `/domain/${first.id}`, { qrCode: { options, imageId } }, as(organization));
    expect((await read(first.id)).options).toEqual({ ...options, image: url });
  });
});
