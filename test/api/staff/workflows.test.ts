// @module-tag slow

import { Client, Connection } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerSearchAttributes } from '#adapters/temporal/client.ts';
import { createTemporal, type Temporal } from '#adapters/temporal/temporal.ts';
import { createWorkflows } from '#adapters/temporal/workflows.ts';
import {
  displayNameKey,
  domainIdKey,
  lastErrorKey,
  linkIdKey,
  nextAtKey,
  organizationIdKey,
  stateKey,
  webhookIdKey,
} from '#core/temporal/search-attributes.ts';
import { type ProcessView, processViews, viewTitles } from '#core/temporal/views.ts';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';
import { createStaff, refusalOf, type TestStaff } from '#test/support/tools.ts';
import { insertWorker } from '#test/support/workers.ts';
import { insertRow } from '#test/support/rows.ts';

const uiUrl = 'http://temporal.example:8233';
const runs = temporalForTest();
let connection: Connection;
let client: Client;
let temporal: Temporal;
let api: TestApi;
let staff: TestStaff;
beforeAll(async () => {
  connection = await Connection.connect({ address: runs.address });
  client = new Client({ connection, namespace: runs.namespace });
  await registerSearchAttributes(client, runs.namespace, silent);
  temporal = createTemporal({ ...runs, log: silent });
  api = await createTestApi({ workflows: createWorkflows({ ...runs, client: await temporal.client(), uiUrl }) });
  staff = await createStaff(api.app, api.db, api.organization.id);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await temporal.close();
  await connection.close();
});

/** Starts a workflow that no worker takes. */
async function start(
  workflowId: string,
  organizationId: string,
  attributes: SearchAttributePair[] = [],
): Promise<string> {
  const { taskQueue } = runs;
  const { firstExecutionRunId } = await client.workflow.start('webhook', {
    workflowId,
    taskQueue,
    staticSummary: `About ${workflowId}`,
    typedSearchAttributes: [
      { key: organizationIdKey, value: [organizationId] },
      { key: stateKey, value: 'idle' },
      ...attributes,
    ],
  });
  return firstExecutionRunId;
}

describe('workflows.list', () => {
  it('workflows.list finds runs by organization and by the beginning of ids, with their page in the Temporal UI', async () => {
    const [one, two] = [uuidv7(), uuidv7()];
    const ids = [`webhook/${uuidv7()}`, `webhook/${uuidv7()}`, `domain/${uuidv7()}`] as const;
    const runId = await start(ids[0], one);
    await start(ids[1], two);
    await start(ids[2], two);
    const find = async (input: { organizationId?: string; search?: string }) =>
      (await staff.tools.workflows.list.query(input)).items.map(({ id }) => id).toSorted();
    // What has just begun takes a moment to be found.
    await eventually(
      () => find({}),
      (found) => found.length === 3,
    );
    expect(await find({ organizationId: two })).toEqual([ids[1], ids[2]].toSorted());
    expect(await find({ search: 'webhook/' })).toEqual([ids[0], ids[1]].toSorted());
    expect(await find({ organizationId: two, search: 'webhook/' })).toEqual([ids[1]]);
    for (const search of [`x' or WorkflowId != '`, `\\' or 1=1`, '%', 'nothing/'])
      expect(await find({ search })).toEqual([]);

    const { items } = await staff.tools.workflows.list.query({ search: ids[0] });
    expect(items).toEqual([
      {
        id: ids[0],
        runId,
        type: 'webhook',
        status: 'running',
        displayName: null,
        state: 'idle',
        nextStep: null,
        nextAt: null,
        lastError: null,
        summary: `About ${ids[0]}`,
        organizationIds: [one],
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        closedAt: null,
        url: `${uiUrl}/namespaces/${runs.namespace}/workflows/${encodeURIComponent(ids[0])}/${runId}/history`,
      },
    ]);

    await client.workflow.getHandle(ids[0]).terminate();
    const ended = await eventually(
      async () => (await staff.tools.workflows.list.query({ search: ids[0] })).items[0],
      (run) => run?.status !== 'running',
    );
    expect(ended).toMatchObject({ status: 'terminated', closedAt: expect.any(String) as string });
  });

  it('workflows.list finds runs by kind, status, state, link, domain and webhook', async () => {
    const [link, domain, webhook, organizationId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
    const about = [
      [{ key: linkIdKey, value: [uuidv7(), link] }],
      [{ key: domainIdKey, value: [domain] }],
      [{ key: webhookIdKey, value: webhook }],
    ] satisfies SearchAttributePair[][];
    const ids = about.map((_attributes, index) => `subject/${organizationId}/${index}`);
    for (const [index, attributes] of about.entries()) await start(ids[index]!, organizationId, attributes);
    const find = async (input: Parameters<typeof staff.tools.workflows.list.query>[0]) =>
      (await staff.tools.workflows.list.query(input)).items.map(({ id }) => id).toSorted();
    await eventually(
      () => find({ organizationId }),
      (found) => found.length === 3,
    );
    expect(await find({ linkId: link })).toEqual([ids[0]]);
    expect(await find({ domainId: domain })).toEqual([ids[1]]);
    expect(await find({ webhookId: webhook })).toEqual([ids[2]]);
    expect(await find({ organizationId, type: 'webhook', status: 'running', state: 'idle' })).toEqual(ids);
    for (const other of [{ type: 'domain' }, { status: 'failed' }, { state: 'failing' }, { linkId: domain }] as const)
      expect(await find({ organizationId, ...other })).toEqual([]);
    const wrong = { type: "x' or 1=1", status: 'gone', linkId: 'x' } as never;
    const { error } = await refusalOf(staff.tools.workflows.list.query(wrong));
    expect(error.issues?.map(({ path }) => path).toSorted()).toEqual(['linkId', 'status', 'type']);
  });

  it('workflows.views counts what operators look at first, and workflows.list lists it', async () => {
    const organizationId = uuidv7();
    const begin = (type: string, workflowId: string, state: string, ...attributes: SearchAttributePair[]) =>
      client.workflow.start(type, {
        workflowId,
        taskQueue: runs.taskQueue,
        typedSearchAttributes: [
          { key: organizationIdKey, value: [organizationId] },
          { key: stateKey, value: state },
          ...attributes,
        ],
      });
    const failed: SearchAttributePair = { key: lastErrorKey, value: 'status 503' };
    const [late, soon] = [-120_000, 3_600_000].map((ms) => new Date(Date.now() + ms)) as [Date, Date];
    const ids: Record<ProcessView, string> = {
      failingWebhooks: `webhook/${uuidv7()}`,
      waitingDomains: `domain/${uuidv7()}`,
      lockedDeletions: `delete-domain/${uuidv7()}`,
      late: `webhook/${uuidv7()}`,
      failed: '',
      paused: `domain/${uuidv7()}`,
    };
    await begin('webhook', ids.failingWebhooks, 'failing', failed, { key: nextAtKey, value: soon });
    await begin('webhook', `webhook/${uuidv7()}`, 'off');
    await begin('domain', ids.waitingDomains, 'taken', { key: nextAtKey, value: soon });
    await begin('domain', `domain/${uuidv7()}`, 'verified');
    await begin('deleteDomain', ids.lockedDeletions, 'locked');
    await begin('deleteDomain', `delete-domain/${uuidv7()}`, 'removing');
    await begin('webhook', ids.late, 'waiting', { key: nextAtKey, value: late });
    await begin('domain', ids.paused, 'unverified');
    const { workflowService } = client;
    await workflowService.pauseWorkflowExecution({ namespace: runs.namespace, workflowId: ids.paused, reason: 'x' });
    const list = async (view: ProcessView) =>
      (await staff.tools.workflows.list.query({ organizationId, view })).items.map(({ id }) => id).join();
    for (const view of processViews)
      await eventually(
        () => list(view),
        (found) => found === ids[view],
      );
    const { items } = await staff.tools.workflows.list.query({ organizationId, view: 'late' });
    expect(items[0]).toMatchObject({ state: 'waiting', nextAt: late.toISOString() });
    const views = await staff.tools.workflows.views.query();
    expect(views.map(({ id }) => id)).toEqual(processViews);
    for (const { id, count, url } of views) {
      expect(count).toBeGreaterThanOrEqual(id === 'failed' ? 0 : 1);
      const { origin, searchParams } = new URL(url!);
      expect(origin).toBe(uiUrl);
      expect(searchParams.get('savedQuery')).toBe(viewTitles[id]);
      await client.workflow.count(searchParams.get('query')!);
    }
  });

  it('workflows.list comes in pages', async () => {
    const prefix = `pages-${uuidv7()}/`;
    for (let index = 0; index < 5; index += 1) await start(`${prefix}${index}`, uuidv7());
    const read = (cursor?: string) => staff.tools.workflows.list.query({ search: prefix, limit: 2, cursor });
    await eventually(
      async () => (await staff.tools.workflows.list.query({ search: prefix })).items,
      (items) => items.length === 5,
    );
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await read(cursor);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && found.length < 10);
    expect(found.toSorted()).toEqual([0, 1, 2, 3, 4].map((index) => `${prefix}${index}`));
    for (const wrong of ['bm90IGEgdG9rZW4', '!'])
      expect((await refusalOf(read(wrong))).error).toMatchObject({
        code: 'VALIDATION_ERROR',
        issues: [{ path: 'cursor' }],
      });
  });

  it('workflows.list is answered 503 while Temporal is unreachable, and other procedures work', async () => {
    const away = createTemporal({ ...runs, address: '127.0.0.1:1', log: silent });
    const workflows = createWorkflows({ ...runs, client: await away.client(), timeoutMs: 1_000 });
    await using alone = await createTestApi({ besides: api, workflows });
    const { tools } = await createStaff(alone.app, api.db, api.organization.id);
    const refusal = await refusalOf(tools.workflows.list.query());
    expect(refusal).toMatchObject({ httpStatus: 503, error: { code: 'SERVICE_UNAVAILABLE' } });
    expect((await tools.system.health.query()).versions.temporal).toBeNull();
    await away.close();
  });
});

describe('a webhook', () => {
  it('a webhook is paused and resumed by signals to its workflow, which starts where there is none', async () => {
    const { id: webhookId } = await insertRow(api.db, 'webhooks', {
      organization_id: api.organization.id,
      url: 'https://crm.example/hook?token=x',
    });
    const { pause, resume } = staff.tools.webhooks;
    expect(await pause.mutate({ id: webhookId })).toEqual({ id: webhookId, isPaused: true });
    expect(await resume.mutate({ id: webhookId })).toEqual({ id: webhookId, isPaused: false });
    const handle = client.workflow.getHandle(`webhook/${webhookId}`);
    const { events } = await handle.fetchHistory();
    const signals = events!.flatMap(
      ({ workflowExecutionSignaledEventAttributes: signaled }) => signaled?.signalName ?? [],
    );
    expect(signals).toEqual(['pause', 'resume']);
    const found = await handle.describe();
    expect(found.typedSearchAttributes.get(displayNameKey)).toBe('crm.example');
    expect(found.typedSearchAttributes.get(organizationIdKey)).toEqual([api.organization.id]);
    expect(await found.staticSummary()).toBe('Webhook to crm.example');
    expect((await refusalOf(pause.mutate({ id: uuidv7() }))).error.code).toBe('NOT_FOUND');
  });
});

describe('system.health', () => {
  it('system.health shows what /readyz does, the outbox, the lag of clicks and running workflows', async () => {
    await using degraded = await createTestApi({
      besides: api,
      health: { degraded: async () => ({ isUp: true, names: ['outbox: 1 parked'] }) },
      journalLagMs: () => 1_500,
      workflows: createWorkflows({ ...runs, client: await temporal.client() }),
    });
    await insertRow(api.db, 'outbox', { parked_at: new Date() });
    const worker = await insertWorker(api.db, { agoMs: 42_000 });
    const { tools } = await createStaff(degraded.app, api.db, api.organization.id);
    const health = await tools.system.health.query();
    expect(health).toMatchObject({
      status: 'degraded',
      degraded: ['outbox: 1 parked'],
      outbox: { waiting: 0, parked: 1, oldestMs: 0 },
      workers: [{ id: worker, host: 'tests', takesTasks: true }],
      journalLagMs: 1_500,
      versions: { node: process.versions.node, schema: expect.stringMatching(/^\d{4}-/) as string },
    });
    expect(health.workers[0]!.silentMs).toBeGreaterThan(41_000);
    const { waymark, database, temporal: server } = health.versions;
    for (const version of [waymark, database, server]) expect(version).toMatch(/^\d+\.\d+/);
    expect((await staff.tools.system.health.query()).status).toBe('ready');
    expect((await refusalOf(tools.system.health.query({ all: true } as never))).error.code).toBe('VALIDATION_ERROR');
  });

  it('system.health answers where the database is too late for readiness alone', async () => {
    const degraded = async () => ({ isUp: false, names: ['database'] });
    await using late = await createTestApi({ besides: api, health: { degraded } });
    const { tools } = await createStaff(late.app, api.db, api.organization.id);
    expect(await tools.system.health.query()).toMatchObject({ status: 'degraded', degraded: ['database'] });
  });
});
