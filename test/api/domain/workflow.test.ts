// @module-tag process

import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { DomainActivities } from '#activities/domains/domains.ts';
import { createDomainWorkflow } from '#api/domain/workflow.ts';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { useWorkflows } from '#test/support/workflows.ts';
import { domainStatusQuery } from '#workflows/domain.ts';

const workflows = useWorkflows();
const patienceMs = 60_000;
const finished: FinishedCheck = {
  outcome: 'right',
  records: [],
  result: 'verified',
  checkedAt: '2026-11-27T00:00:00.000Z',
};

/** Mocks the activity that checks a domain. A check that a call of the API asks for ends only once `answer` resolves. */
function mockChecks(answer: Promise<void> = Promise.resolve()): void {
  const look = { isGone: false, isVerified: true, failedChecks: 0, nextInMs: 3_600_000 } as const;
  workflows.mock({
    async checkDomain({ isAsked }) {
      if (isAsked) await answer;
      return { ...look, check: isAsked ? finished : null };
    },
  } satisfies DomainActivities);
}

/** The workflow of a new domain, as the API asks it. */
function createAsked(isReachable = true) {
  const { client, taskQueue } = workflows;
  const errors: Error[] = [];
  const { check } = createDomainWorkflow({
    client,
    taskQueue,
    isReachable: () => isReachable,
    onError: (error) => void errors.push(error),
  });
  const target = { id: randomUUID(), organizationId: randomUUID(), domain: 'go.customer.example' };
  const handle = client.workflow.getHandle(`domain/${target.id}`);
  return { check: (timeoutMs = patienceMs) => check(target, timeoutMs), handle, errors };
}

test('a check is made by the workflow of the domain, which is started where there is none', async () => {
  mockChecks();
  const { check, handle, errors } = createAsked();
  expect(await check()).toEqual(finished);
  const { runId } = await handle.describe();
  expect(await check()).toEqual(finished);
  expect(await handle.query(domainStatusQuery)).toMatchObject({ state: 'verified', checkedAt: finished.checkedAt });
  expect((await handle.describe()).runId).toBe(runId);
  await handle.terminate();
  expect(await check()).toEqual(finished);
  expect(errors).toEqual([]);
  await handle.terminate();
});

test('a check is refused with the reason while an operator has paused the workflow', async () => {
  mockChecks();
  const { check, handle, errors } = createAsked();
  await check();
  const { workflowService } = workflows.client;
  const { workflowId } = handle;
  const asked = { namespace: 'default', workflowId, identity: 'ops' };
  await workflowService.pauseWorkflowExecution({ ...asked, reason: 'for ops alone' });
  await expect(check()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(/^An operator has paused/),
  });
  await workflowService.unpauseWorkflowExecution(asked);
  expect(await check()).toEqual(finished);
  expect(errors).toEqual([]);
  await handle.terminate();
});

test('there is no answer of a workflow that takes too long, nor of a Temporal service that is away', async () => {
  const answer = Promise.withResolvers<void>();
  mockChecks(answer.promise);
  const slow = createAsked();
  expect(await slow.check(2_000)).toBeUndefined();
  expect(slow.errors).toHaveLength(1);
  answer.resolve();
  await slow.handle.terminate();
  const away = createAsked(false);
  expect(await away.check()).toBeUndefined();
  await expect(away.handle.describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);
});
