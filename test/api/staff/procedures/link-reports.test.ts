import { describe, expect, it } from 'vitest';
import { addLinkReport } from '#db/reports/add.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { useStaff } from '#test/support/tools.ts';

const api = useOwnTestApi();
const staff = useStaff(api);

async function reportedLink(reason: 'phishing' | 'spam' = 'phishing') {
  const { body } = await api.call('POST', '/short-link', {
    destination: { type: 'link', value: 'https://example.com/' },
  });
  const report = { linkId: body.id as string, organizationId: api.organization.id, client: 'a client' };
  await addLinkReport(api.db, { ...report, reason, comment: 'It asks for my PIN.' });
  return { linkId: body.id as string, slug: body.slug as string };
}

describe('reports of links', () => {
  it('are listed, the most recent first, and read with what visitors wrote', async () => {
    const [one, two] = [await reportedLink(), await reportedLink('spam')];
    const { items } = await staff.tools.linkReports.list.query({ isOpen: true, limit: 2 });
    expect(items.map(({ linkId }) => linkId)).toEqual([two.linkId, one.linkId]);
    expect(items[1]).toMatchObject({ slug: one.slug, isActive: true, reports: 1, closedAt: null, resolution: null });
    expect(JSON.stringify(items)).not.toMatch(/PIN|a client/);
    const found = await staff.tools.linkReports.list.query({ search: one.slug, organizationId: api.organization.id });
    expect(found.items.map(({ linkId }) => linkId)).toEqual([one.linkId]);
    const first = await staff.tools.linkReports.list.query({ limit: 1 });
    const next = await staff.tools.linkReports.list.query({ limit: 1, cursor: first.nextCursor! });
    expect([...first.items, ...next.items].map(({ linkId }) => linkId)).toEqual([two.linkId, one.linkId]);
    const whole = await staff.tools.linkReports.get.query({ id: items[1]!.id });
    expect(whole.notes).toMatchObject([{ reason: 'phishing', comment: 'It asks for my PIN.' }]);
    expect(whole).not.toHaveProperty('clients');
  });

  it('are closed once, with an audit row, and wake their workflow', async () => {
    const { linkId } = await reportedLink();
    const { items } = await staff.tools.linkReports.list.query({ isOpen: true });
    const { id } = items.find((item) => item.linkId === linkId)!;
    expect(await staff.tools.linkReports.close.mutate({ id, resolution: 'acted' })).toMatchObject({
      id,
      resolution: 'acted',
      closedBy: staff.id,
    });
    const { rows } = await api.db.query(`select 1 from outbox where kind = 'link-report' and subject_id = $1`, [id]);
    expect(rows).toHaveLength(1);
    const audit = await api.db.query(`select subject_id, details from audit_log where action = 'linkReports.close'`);
    expect(audit.rows).toEqual([{ subject_id: id, details: { linkId, resolution: 'acted' } }]);
    await expect(staff.tools.linkReports.close.mutate({ id, resolution: 'dismissed' })).rejects.toMatchObject({
      data: { code: 'CONFLICT' },
    });
    const closed = await staff.tools.linkReports.list.query({ isOpen: false });
    expect(closed.items.map((item) => item.id)).toEqual([id]);
  });

  it('that do not exist are 404', async () => {
    const id = api.organization.id;
    const missing = { data: { code: 'NOT_FOUND' } };
    await expect(staff.tools.linkReports.get.query({ id })).rejects.toMatchObject(missing);
    await expect(staff.tools.linkReports.close.mutate({ id, resolution: 'acted' })).rejects.toMatchObject(missing);
  });
});
