import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createFile, createOrganization } from '#test/support/factories.ts';
import { hearChanges } from '#test/support/hear-changes.ts';
import { insertRow } from '#test/support/rows.ts';

const api = useTestApi();

const destination = { type: 'link', value: 'https://example.com/a' };

/** A verified domain with a QR template of its own. */
async function createLook(margin: number): Promise<{ id: string; domain: string }> {
  const { id: organizationId } = api.organization;
  const domain = await createDomain(api.db, organizationId);
  const { id: templateId } = await insertRow(api.db, 'qr_codes', {
    organization_id: organizationId,
    options: { margin },
  });
  await api.db.query('update domains set qr_code_id = $1 where id = $2', [templateId, domain.id]);
  return domain;
}

describe('a link that moves to another domain', () => {
  it.each(['domainId', 'domain'] as const)(
    'a link moved to a domain named by %s takes its QR code, under an id of its own',
    async (by) => {
      const [from, to] = [await createLook(1), await createLook(2)];
      const made = (await api.call('POST', '/short-link', { destination, domainId: from.id })).body;
      expect(made.qrCode.options).toEqual({ margin: 1 });
      const { body } = await api.call('PATCH', `/short-link/${made.id}`, { [by]: by === 'domain' ? to.domain : to.id });
      expect(body).toMatchObject({ domainId: to.id, qrCodeId: made.qrCodeId, qrCode: { options: { margin: 2 } } });
      // Back again, with all that the answer holds but the look.
      const { qrCode: _, ...rest } = body;
      const back = await api.call('PATCH', `/short-link/${made.id}`, { ...rest, domainId: from.id });
      expect(back.body).toMatchObject({ domainId: from.id, qrCode: { options: { margin: 1 } } });
    },
  );

  it('a link moved to a domain without a QR code loses that of its old domain', async () => {
    const from = await createLook(1);
    const { id: domainId } = await createDomain(api.db, api.organization.id);
    const made = (await api.call('POST', '/short-link', { destination, domainId: from.id })).body;
    const { status, body } = await api.call('PATCH', `/short-link/${made.id}`, { domainId });
    expect(status).toBe(200);
    expect(body).toMatchObject({ domainId, qrCode: null, qrCodeId: null });
    const back = (await api.call('PATCH', `/short-link/${made.id}`, { domainId: from.id })).body;
    expect(back.qrCode.options).toEqual({ margin: 1 });
  });

  it('a link without a QR code has none after the undo of a move either', async () => {
    const from = await createLook(1);
    const { id: domainId } = await createDomain(api.db, api.organization.id);
    const { id } = (await api.call('POST', '/short-link', { destination, domainId: from.id, qrCode: null })).body;
    await api.call('PATCH', `/short-link/${id}`, { domainId });
    const [{ id: changeId }] = (await api.call('GET', `/short-link/${id}/history`)).body.data;
    const undone = await api.call('POST', `/short-link/${id}/history/${changeId}/undo`);
    expect(undone).toMatchObject({ status: 200, body: { domainId: from.id, qrCode: null } });
  });

  it('a moved link keeps a QR code of its own, even if only a logo differs', async () => {
    const [from, to] = [await createLook(1), await createLook(2)];
    const plain = await createDomain(api.db, api.organization.id);
    const imageId = await createFile(api.db, api.organization.id, 'qr-code');
    for (const qrCode of [
      { options: { margin: 3 }, imageId: null },
      { options: { margin: 1 }, imageId },
    ]) {
      const made = (await api.call('POST', '/short-link', { destination, domainId: from.id, qrCode })).body;
      for (const { id: domainId } of [to, plain]) {
        const { body } = await api.call('PATCH', `/short-link/${made.id}`, { domainId });
        expect(body).toMatchObject({ domainId, qrCode, qrCodeId: made.qrCodeId });
      }
    }
  });
});

describe('POST /short-link/{id}/move', () => {
  const move = (id: string, body: object, options?: object) =>
    api.call('POST', `/short-link/${id}/move`, body, options);
  const create = async (body: object = {}) => (await api.call('POST', '/short-link', { destination, ...body })).body;

  it('answers 200 with the link at its new address; edges hear of both, clicks stay, link.updated is sent', async () => {
    const { id: organizationId } = api.organization;
    const [from, to] = [await createDomain(api.db, organizationId), await createDomain(api.db, organizationId)];
    const made = await create({ domainId: from.id, slug: 'moving' });
    await insertRow(api.db, 'link_counters', { link_id: made.id, clicks: 3 });
    await using hearing = await hearChanges(api.databaseUrl);
    const { status, body } = await move(made.id, { domain: to.domain });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: made.id, domainId: to.id, slug: 'moving', currentClicks: 3 });
    expect(body.originUrl).toBe(made.originUrl.replace(from.domain, to.domain));
    const heard = await hearing.changes();
    expect(heard).toEqual(
      expect.arrayContaining([from.id, to.id].map((domainId) => ({ domainId, slugs: ['moving'] }))),
    );
    const { rows } = await api.db.query<{ body: string }>(
      `select body from events where link_id = $1 and type = 'link.updated'`,
      [made.id],
    );
    expect(rows.map((row) => JSON.parse(row.body).data.previous)).toEqual([
      { domainId: from.id, shortUrl: made.originUrl },
    ]);
    const again = await create({ domainId: from.id, slug: 'moving' });
    expect(again.slug).toBe('moving');
  });

  it('answers 409 where the slug is taken there, and moves with another slug', async () => {
    const { domain, id: domainId } = await createDomain(api.db, api.organization.id);
    const taken = await create({ domainId, slug: 'moved-onto' });
    const made = await create({ slug: 'moved-onto' });
    expect(await move(made.id, { domain })).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
    expect(await move(made.id, { domain, slug: 'free' })).toMatchObject({
      status: 200,
      body: { domainId, slug: 'free' },
    });
    expect((await api.call('GET', `/short-link/${taken.id}`)).body).toEqual(taken);
  });

  it("answers 404 to another organization's domain, 400 to an unverified one, and 409 where If-Match does not hold", async () => {
    const other = await createOrganization(api.db);
    const foreign = await createDomain(api.db, other.id);
    const { domain, id: domainId } = await createDomain(api.db, api.organization.id);
    const made = await create();
    expect((await move(made.id, { domain: foreign.domain })).status).toBe(404);
    const headers = { 'x-api-key': api.organization.key, 'if-match': '"m2k8x1"' };
    expect(await move(made.id, { domain }, { headers })).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    await api.db.query('update domains set is_verified = false where id = $1', [domainId]);
    expect(await move(made.id, { domain })).toMatchObject({ status: 400, body: { issues: [{ path: 'domain' }] } });
    expect(await move(made.id, {})).toMatchObject({ status: 400, body: { issues: [{ path: 'domain' }] } });
    expect((await api.call('GET', `/short-link/${made.id}`)).body).toEqual(made);
  });
});
