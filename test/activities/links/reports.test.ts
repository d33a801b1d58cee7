import { expect, test } from 'vitest';
import { createReportActivities } from '#activities/links/reports.ts';
import { addLinkReport } from '#db/reports/add.ts';
import { closeReport, requeueOpenReports } from '#db/reports/reports.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { startsFor } from '#test/support/relay.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test('a report is one process from the first visitor until staff close it, and a second visitor joins it', async () => {
  const organization = await createOrganization(db);
  const domain = await createDomain(db, organization.id);
  const link = await createLink(db, {
    organizationId: organization.id,
    domainId: domain.id,
    folderId: organization.folderId,
    slug: 'reported',
  });
  const by = (client: string, reason: 'phishing' | 'spam'): Promise<void> =>
    addLinkReport(db, { linkId: link.id, organizationId: organization.id, client, reason, comment: 'secret words' });
  const find = (): Promise<number> => requeueOpenReports(emOf(db), 10);
  const { readReport } = createReportActivities({ em: emOf(db) });
  await by('one', 'phishing');
  await by('two', 'spam');
  expect(await find()).toBe(1);
  const { rows } = await db.query<{ id: string }>('select id from link_reports');
  const reportId = rows[0]!.id;
  const starts = await startsFor(db, 'link-report');
  expect(starts).toMatchObject([
    {
      options: { workflowId: `link-report/${reportId}`, staticSummary: `Report of the link ${domain.domain}/reported` },
    },
  ]);
  expect(JSON.stringify(starts)).not.toContain('secret words');
  const reasons = { phishing: 1, spam: 1 };
  expect(await readReport({ reportId })).toEqual({ state: 'open', reports: 2, reasons });
  // An open one whose workflow was lost gets another within the hour.
  expect(await find()).toBe(0);
  await db.query(`update link_reports set handled_at = now() - interval '61 minutes'`);
  expect(await find()).toBe(1);

  const close = (): Promise<boolean> =>
    emOf(db).transactional((em) =>
      closeReport(em, reportId, { resolution: 'acted', userId: organization.botId, now: new Date() }),
    );
  expect(await close()).toBe(true);
  expect(await close()).toBe(false);
  expect(await readReport({ reportId })).toEqual({ state: 'acted', reports: 2, reasons });

  await by('three', 'spam');
  const { rows: open } = await db.query<{ id: string }>('select id from link_reports where closed_at is null');
  expect(open).toHaveLength(1);
  await db.query('delete from link_reports where closed_at is null');
  expect(await readReport({ reportId: open[0]!.id })).toEqual({ state: 'gone', reports: 0, reasons: {} });
});
