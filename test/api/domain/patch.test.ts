import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { readCompiledDomains } from '#db/links/visits/compiled.ts';
import { useTestApi } from '#test/support/api.ts';
import { createFile, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { hearChanges } from '#test/support/hear-changes.ts';

const api = useTestApi();

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });
let counter = 0;
const newName = (): string => `patch${(counter += 1)}.customer.example`;
const add = (domain: unknown, organization = api.organization) =>
  api.call('POST', '/domain', { domain }, as(organization));

describe('PATCH /domain/{id}', () => {
  const appleAppSiteAssociation = { applinks: { details: [{ appIDs: ['A.b'], components: [{ '/': '/x*' }] }] } };
  const androidAssetLinks = [{ relation: ['delegate_permission/common.handle_all_urls'], target: { namespace: 'x' } }];

  it('answers 200; what is sent changes, null clears, the edge is told', async () => {
    const { id, qrCodeId } = (await add(newName())).body;
    const imageId = await createFile(api.db, api.organization.id, 'qr-code');
    const patch = {
      fallbackUrl: 'https://www.example.org/ä',
      isActive: false,
      qrCode: { options: { width: 500 }, imageId },
      appleAppSiteAssociation,
      androidAssetLinks,
    };
    await using hearing = await hearChanges(api.databaseUrl);
    const { status, body } = await api.call('PATCH', `/domain/${id}`, patch);
    expect(status).toBe(200);
    expect(body).toMatchObject(patch);
    expect(body.qrCodeId).toBe(qrCodeId);
    expect(await hearing.changes()).toEqual([{ domainId: id }]);
    expect((await api.call('PATCH', `/domain/${id}`, { isActive: true })).body).toMatchObject({
      ...patch,
      isActive: true,
    });
    const nothing = { fallbackUrl: null, qrCode: null, appleAppSiteAssociation: null, androidAssetLinks: null };
    const cleared = (await api.call('PATCH', `/domain/${id}`, nothing)).body;
    expect(cleared).toMatchObject({ ...nothing, qrCodeId: null });
    const { rows } = await api.db.query('select 1 from qr_codes where id = $1', [body.qrCodeId]);
    expect(rows).toHaveLength(0);
    const others = { androidAssetLinks: { a: 1 }, qrCode: { options: {}, imageId: null } };
    const anew = (await api.call('PATCH', `/domain/${id}`, others)).body;
    expect(anew).toMatchObject(others);
    expect(anew.qrCodeId).not.toBe(qrCodeId);
  });

  it('keeps documents for apps as they were sent, the order of their members too (4.11)', async () => {
    const name = newName();
    const { id } = (await add(name)).body;
    const apple = '{"webcredentials":{"apps":["A.b"]},"b":1.5,"applinks":{"details":[],"apps":[]},"":null,"ä":"\\n"}';
    const android = '[{"target":{"sha256_cert_fingerprints":[],"namespace":"x"},"relation":[]}]';
    const patch = { appleAppSiteAssociation: JSON.parse(apple), androidAssetLinks: JSON.parse(android) };
    expect((await api.call('PATCH', `/domain/${id}`, patch)).status).toBe(200);
    const { body } = await api.call('GET', `/domain/${id}`);
    expect(JSON.stringify(body.appleAppSiteAssociation)).toBe(apple);
    await api.db.query('update domains set is_verified = true where id = $1', [id]);
    const served = (await readCompiledDomains(api.db, [name])).get(name);
    expect(served).toMatchObject({ appleAppSiteAssociation: apple, androidAssetLinks: android });
  });

  it('takes back what GET returned, and nothing at all, and keeps the id of the template', async () => {
    const organization = await createOrganization(api.db);
    const { dns, warnings, ...domain } = (await add(newName(), organization)).body;
    const sent = { ...domain, dns, warnings };
    const again = (await api.call('PATCH', `/domain/${domain.id}`, sent, as(organization))).body;
    expect(again).toEqual({ ...domain, updatedAt: again.updatedAt });
    expect((await api.call('PATCH', `/domain/${domain.id}`, {}, as(organization))).body).toEqual(again);
  });

  it.each([
    ['domain', 'other.customer.example'],
    ['domain', null],
    ['domain', 7],
    ['txtRecord', 'waymark-verify=0'],
    ['txtRecord', null],
  ])('answers 400 to another %s, %j, and changes nothing', async (field, value) => {
    const organization = await createOrganization(api.db);
    const { id } = (await add(newName(), organization)).body;
    const read = async () => (await api.call('GET', `/domain/${id}`, undefined, as(organization))).body;
    const before = await read();
    const patch = { isActive: false, [field]: value };
    const { status, body } = await api.call('PATCH', `/domain/${id}`, patch, as(organization));
    expect([status, body]).toMatchObject([400, { code: 'VALIDATION_ERROR', issues: [{ path: field }] }]);
    expect(await read()).toEqual(before);
  });

  it('takes the name that a domain has, in any case', async () => {
    const organization = await createOrganization(api.db);
    const { id, domain, txtRecord } = (await add(newName(), organization)).body;
    const patch = { domain: `${domain.toUpperCase()}.`, txtRecord };
    const { status, body } = await api.call('PATCH', `/domain/${id}`, patch, as(organization));
    expect([status, body.domain]).toEqual([200, domain]);
  });

  it('moves the primary role, which cannot be laid down, also under concurrent calls', async () => {
    const organization = await createOrganization(api.db);
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await add(newName(), organization)).body.id);
    const set = (id: string, isPrimary: boolean) => api.call('PATCH', `/domain/${id}`, { isPrimary }, as(organization));
    const primaries = async (): Promise<string[]> =>
      (await api.call('GET', '/domain/list', undefined, as(organization))).body.data
        .filter(({ isPrimary }: { isPrimary: boolean }) => isPrimary)
        .map(({ id }: { id: string }) => id);
    expect((await set(ids[1]!, true)).body.isPrimary).toBe(true);
    expect(await primaries()).toEqual([ids[1]]);
    expect((await set(ids[0]!, false)).status).toBe(200);
    const refused = await set(ids[1]!, false);
    expect(refused.status).toBe(400);
    expect(refused.body.issues).toMatchObject([{ path: 'isPrimary' }]);
    const answers = await Promise.all(ids.flatMap((id) => [set(id, true), set(id, true)]));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await primaries()).toHaveLength(1);
  });

  it.each([
    ['fallbackUrl', 'javascript:alert(1)'],
    ['fallbackUrl', 'https://user:x@example.org/'],
    ['appleAppSiteAssociation', { a: 'x\u0000' }],
    ['appleAppSiteAssociation', { a: 'x'.repeat(140_000) }],
    ['androidAssetLinks', JSON.parse('[{"__proto__": {"isAdmin": true}}]')],
    ['androidAssetLinks', JSON.parse('['.repeat(900) + ']'.repeat(900))],
  ])('answers 400 to a wrong %s', async (field, value) => {
    const { id } = (await add(newName())).body;
    const { status, body } = await api.call('PATCH', `/domain/${id}`, { [field]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: field }] });
    await api.call('DELETE', `/domain/${id}`);
  });

  it('answers 400 to a fallback on the domain itself, and to an image that is not to be had', async () => {
    const domain = (await add('grüße2.customer.example')).body;
    const patch = (body: object) => api.call('PATCH', `/domain/${domain.id}`, body);
    for (const host of [domain.domain, 'GRÜßE2.customer.example', `${domain.domain}.:8080`]) {
      expect((await patch({ fallbackUrl: `https://${host}/x` })).body.issues).toMatchObject([{ path: 'fallbackUrl' }]);
    }
    const other = await createOrganization(api.db);
    for (const imageId of [
      uuidv7(),
      await createFile(api.db, other.id, 'qr-code'),
      await createFile(api.db, api.organization.id, 'meta-tag'),
    ]) {
      const { status, body } = await patch({ qrCode: { options: {}, imageId } });
      expect(status).toBe(400);
      expect(body.issues).toMatchObject([{ path: 'qrCode.imageId' }]);
    }
  });

  it('warns of a QR template that scanners cannot read, with a logo that is too large', async () => {
    const { id } = (await add(newName())).body;
    const imageId = await createFile(api.db, api.organization.id, 'qr-code');
    const options = { imageOptions: { imageSize: 0.8 } };
    const { status, body } = await api.call('PATCH', `/domain/${id}`, { qrCode: { options, imageId } });
    expect([status, body.warnings]).toEqual([
      200,
      [
        {
          path: 'qrCode.options.imageOptions.imageSize',
          code: 'QR_CODE_HARD_TO_SCAN',
          message: expect.stringMatching(/^A logo larger than 0.5 /),
        },
      ],
    ]);
    const sentBack = await api.call('PATCH', `/domain/${id}`, { qrCode: { options }, warnings: body.warnings });
    expect(sentBack.status).toBe(200);
    expect(sentBack.body).not.toHaveProperty('warnings');
  });
});
