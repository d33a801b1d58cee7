import { expect, test } from 'vitest';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { nameKey, stateKey } from '#core/temporal/search-attributes.ts';
import { addLinkReport } from '#db/reports/add.ts';
import { closeReport, requeueOpenReports } from '#db/reports/reports.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import { relayContext } from '#test/support/relay.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';
import { startTestWorker } from '#test/support/test-worker.ts';
import { linkReportStatusQuery } from '#workflows/link-report.ts';

const db = useTestDatabase();

test('a report is a process from the first visitor until staff close it, and a second visitor joins it', async () => {
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
  // The relay does it every five seconds.
  const find = (): Promise<number> => requeueOpenReports(emOf(db), 10);
  await using worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: db,
    scanner: { name: 'none', lookup: () => Promise.reject(new Error('not asked')), close: async () => {} },
  });
  const relay = createKindDispatcher('link-report', relayContext({ db, startWorkflow: createStartWorkflow(worker) }));
  try {
    await by('one', 'phishing');
    await find();
    const { rows } = await db.query<{ id: string }>('select id from link_reports');
    const [{ id }] = rows as [{ id: string }];
    const handle = worker.client.workflow.getHandle(`link-report/${id}`);
    const hasReports = (count: number): Promise<unknown> =>
      eventually(
        () => handle.query(linkReportStatusQuery).catch(() => undefined),
        (look) => look?.reports === count,
        8_000,
      );
    await hasReports(1);
    await by('two', 'spam');
    await find();
    await hasReports(2);
    const description = await handle.describe();
    expect(await description.staticSummary()).toBe(`Report of the link ${domain.domain}/reported`);
    expect(description.typedSearchAttributes.get(nameKey)).toBe(`${domain.domain}/reported`);
    expect(description.typedSearchAttributes.get(stateKey)).toBe('open');

    const close = (): Promise<boolean> =>
      emOf(db).transactional((em) =>
        closeReport(em, id, { resolution: 'acted', userId: organization.botId, now: new Date() }),
      );
    expect(await close()).toBe(true);
    expect(await close()).toBe(false);
    expect(await handle.result()).toEqual({ state: 'acted', reports: 2, reasons: { phishing: 1, spam: 1 } });
    expect((await handle.describe()).typedSearchAttributes.get(stateKey)).toBe('acted');
    expect(JSON.stringify(await handle.fetchHistory())).not.toContain('secret words');
    await recordHistory('link-report', handle);

    await by('three', 'spam');
    await find();
    const again = await db.query<{ id: string }>('select id from link_reports where closed_at is null');
    const gone = worker.client.workflow.getHandle(`link-report/${again.rows[0]!.id}`);
    await eventually(
      () => gone.query(linkReportStatusQuery).catch(() => undefined),
      (look) => look?.reports === 1,
      30_000,
    );
    await db.query('delete from link_reports where closed_at is null');
    await gone.signal('wake');
    expect(await gone.result()).toMatchObject({ state: 'gone' });
    await recordHistory('link-report-gone', gone);
  } finally {
    await relay.stop();
  }
});

test('an open report whose workflow was lost gets another within the hour', async () => {
  await db.query('delete from link_reports');
  const { rowCount } = await db.query(
    `insert into link_reports (id, organization_id, link_id, reports, notes, clients, handled_at)
     select new_id(), organization_id, id, 1, '[]', '{}', now() - interval '61 minutes' from short_links`,
  );
  expect(rowCount).toBe(1);
  const started: string[] = [];
  const relay = createKindDispatcher(
    'link-report',
    relayContext({
      db,
      reconcileEveryMs: 200,
      startWorkflow: async ({ options: { workflowId } }) => {
        started.push(workflowId);
        return { workflowId };
      },
    }),
  );
  await eventually(async () => started.length > 0);
  await relay.stop();
  expect(started).toHaveLength(1);
});
