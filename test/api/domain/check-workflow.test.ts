// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTemporal, type Temporal } from '#adapters/temporal/temporal.ts';
import { createDomainWorkflow, type DomainWorkflow } from '#api/domain/workflow.ts';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { domainSchedule } from '#core/domains/schedule.ts';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { type DomainStack, startDomainStack } from '#test/support/domain-stack.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';
import { eventually } from '#test/support/eventually.ts';

let api: TestApi;
let stack: DomainStack;
let other: TestApi;
let temporal: Temporal;
let isReachable: boolean;
let inline: number;
let workflow: DomainWorkflow;
const domainDns = {
  check: (domain: { domain: string; txtRecord: string }) => {
    inline += 1;
    return stack.domainDns.check(domain);
  },
  listNeeds: () => ({ records: [], hasHostname: true }),
};
// Longer than a workflow takes on any machine.
const workflowPatienceMs = 60_000;
const errors: Error[] = [];

beforeAll(async () => {
  // The domains' stack needs the database, the API the stack's Temporal.
  const domainWorkflow: DomainWorkflow = { check: (target) => workflow.check(target, workflowPatienceMs) };
  inline = 0;
  const patient = { domainWorkflow, domainDns, workflowPatienceMs };
  api = await createTestApi({ ...patient, onCommitted: () => stack.relay.wake() });
  other = await createTestApi({ ...patient, besides: api });
  stack = await startDomainStack({ databaseUrl: api.databaseUrl, schedule: domainSchedule });
  const { address, namespace } = temporalForTest();
  temporal = createTemporal({ address, namespace, log: silent });
  workflow = createDomainWorkflow({
    client: await temporal.client(),
    taskQueue: stack.taskQueue,
    isReachable: () => isReachable,
    onError: (error) => void errors.push(error),
  });
  isReachable = true;
});
afterAll(async () => {
  await temporal.close();
  await stack[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

let counter = 0;
async function add() {
  const { body } = await api.call('POST', '/domain', { domain: `asked${(counter += 1)}.customer.example` });
  return body as { id: string; domain: string; txtRecord: string; organizationId: string };
}
const check = (id: string, process = api) => process.call('POST', `/domain/${id}/dns-check`);

describe('POST /domain/{id}/dns-check', () => {
  test('asks the workflow of the domain: nothing is checked by the API itself', async () => {
    const domain = await add();
    const first = await check(domain.id);
    expect(first).toMatchObject({
      status: 200,
      body: { isVerified: false, dns: { records: [{ found: [], ok: false }] } },
    });
    expect(first.body.dns.checkedAt).toBe(first.body.lastCheckedAt);
    stack.publish(domain);
    const right = await check(domain.id);
    expect(right.body).toMatchObject({ isVerified: true });
    expect(right.body.dns).toBeUndefined();
    expect(inline).toBe(0);
    expect(errors).toEqual([]);
    const status = await stack.status(domain.id);
    expect(status).toMatchObject({ state: 'verified', checkedAt: right.body.lastCheckedAt });
  });

  test('starts a workflow where there is none', async () => {
    const domain = await stack.add({ organization: api.organization });
    await stack.until(domain.id, ({ checks }) => checks > 0);
    await stack.handle(domain.id).terminate();
    stack.publish(domain);
    expect((await check(domain.id)).body).toMatchObject({ isVerified: true });
    expect(inline).toBe(0);
  });

  test('shares one check among those who ask at the same time, on every process', async () => {
    const domain = await add();
    await check(domain.id);
    let asked = 0;
    stack.dns.set(`_waymark.${domain.domain}`, () => {
      asked += 1;
      return 'silent';
    });
    stack.dns.set(domain.domain, 'silent');
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => check(domain.id, index % 2 ? api : other)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(answers.map(({ body }) => body.dns.checkedAt)).size).toBeLessThanOrEqual(2);
    // A question is asked again once before it is given up.
    expect(asked).toBeLessThanOrEqual(4);
    expect(errors).toEqual([]);
  });

  test('answers 409 where another organization has the name', async () => {
    const domain = await add();
    const rival = await stack.add({ name: domain.domain });
    await stack.until(domain.id, ({ checks }) => checks > 0);
    await stack.until(rival.id, ({ checks }) => checks > 0);
    stack.dns.set(`_waymark.${domain.domain}`, { TXT: [domain.txtRecord, rival.txtRecord] });
    const won = await stack.handle(rival.id).executeUpdate<FinishedCheck, []>('check');
    expect(won.outcome).toBe('right');
    expect(await check(domain.id)).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
    expect(await stack.status(domain.id)).toMatchObject({ state: 'taken' });
  });

  test('is refused with the reason while an operator has paused the workflow', async () => {
    const domain = await add();
    await stack.until(domain.id, ({ checks }) => checks > 0);
    const { workflowService } = stack.client;
    const { namespace } = temporalForTest();
    const workflowId = `domain/${domain.id}`;
    await workflowService.pauseWorkflowExecution({ namespace, workflowId, identity: 'ops', reason: 'for ops alone' });
    const before = inline;
    const { status, body } = await check(domain.id);
    expect({ status, body }).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect(body.message).toMatch(/^An operator has paused/);
    expect(inline).toBe(before);
    await workflowService.unpauseWorkflowExecution({ namespace, workflowId, identity: 'ops' });
    expect(await check(domain.id)).toMatchObject({ status: 200 });
    expect(errors).toEqual([]);
  });

  test('checks by itself while Temporal is away, and the workflow catches up', async () => {
    const domain = await add();
    await stack.until(domain.id, ({ checks }) => checks > 0);
    stack.publish(domain);
    isReachable = false;
    const before = inline;
    expect((await check(domain.id)).body).toMatchObject({ isVerified: true });
    expect(inline).toBe(before + 1);
    isReachable = true;
    await stack.until(domain.id, ({ state }) => state === 'verified');
    const { nextAt } = await stack.status(domain.id);
    const { nextCheckAt } = await stack.row(domain.id);
    expect(Math.abs(Date.parse(nextAt!) - nextCheckAt.getTime())).toBeLessThan(1_000);
  });

  test('checks by itself where the workflow is silent, after some seconds', { tags: 'slow' }, async () => {
    const domain = await add();
    await stack.until(domain.id, ({ checks }) => checks > 0);
    stack.publish(domain);
    await stack.stopWorker();
    await using usual = await createTestApi({ besides: api, domainWorkflow: workflow, domainDns });
    const startedAt = performance.now();
    expect((await check(domain.id, usual)).body).toMatchObject({ isVerified: true });
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
    await eventually(
      () => stack.row(domain.id),
      ({ isVerified }) => isVerified,
    );
  });
});
