import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createDomain, createFile } from '#test/support/factories.ts';
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
