// @module-tag process

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { DomainActivities, DomainLook } from '#activities/domains/domains.ts';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { displayNameKey, lastErrorKey, nextAtKey, nextStepKey, stateKey } from '#core/temporal/search-attributes.ts';
import { addDomain, checksThatFind } from '#test/support/domains.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { useWorkflows } from '#test/support/workflows.ts';
import { readMetadata, timersOf } from '#test/support/workflow-metadata.ts';
import { type DomainStatus, domainStatusQuery, startOfDomain } from '#workflows/domain.ts';

const workflows = useWorkflows();
const db = useTestDatabase();
const name = 'go.customer.example';
const hourMs = 3_600_000;
const txt = { type: 'TXT', name: `_waymark.${name}`, expected: 'value' } as const;

const organizationId = randomUUID();
const start = (id: string = randomUUID()): Promise<WorkflowHandle> =>
  workflows.start(startOfDomain({ id, organizationId, domain: name }));

/** The result of a check, after which the next one is an hour away. */
function checked(ok: boolean, fields: object = {}): DomainLook {
  const found = ok ? ['value'] : [];
  const check = {
    outcome: ok ? 'right' : 'wrong',
    records: [{ ...txt, found, ok }],
    result: 'unchanged',
    checkedAt: new Date().toISOString(),
  } as FinishedCheck;
  return { isGone: false, isVerified: ok, failedChecks: ok ? 0 : 1, nextInMs: hourMs, check, ...fields };
}

/** Mocks the checks with these results, the last of which repeats. @returns their inputs. */
function mockChecks(...results: DomainLook[]): Parameters<DomainActivities['checkDomain']>[0][] {
  const inputs: Parameters<DomainActivities['checkDomain']>[0][] = [];
  workflows.mock({
    async checkDomain(input) {
      inputs.push(input);
      return results[Math.min(inputs.length, results.length) - 1]!;
    },
  } satisfies DomainActivities);
  return inputs;
}

const until = (handle: WorkflowHandle, isRight: (status: DomainStatus) => boolean): Promise<DomainStatus> =>
  eventually(() => handle.query(domainStatusQuery), isRight);
const ask = (handle: WorkflowHandle): Promise<FinishedCheck> => handle.executeUpdate<FinishedCheck, []>('check');
async function columnsOf(handle: WorkflowHandle): Promise<unknown[]> {
  const { typedSearchAttributes: columns } = await handle.describe();
  return [displayNameKey, stateKey, lastErrorKey, nextStepKey, nextAtKey].map((key) => columns.get(key));
}

test('a domain is checked whenever its timer fires, and shows what was found, what is needed and when it looks again', async () => {
  mockChecks(checked(false, { nextInMs: 20 }), checked(false, { failedChecks: 2 }));
  const id = randomUUID();
  const handle = await start(id);
  const status = await until(handle, ({ checks }) => checks === 2);
  expect(status).toMatchObject({ state: 'unverified', failedChecks: 2, found: [`TXT ${txt.name}: nothing there`] });
  expect(status.needed).toEqual([`TXT ${txt.name}: \`value\``]);
  const [first, second, ...others] = await timersOf(handle);
  // No shorter than 50 ms: clocks of processes differ.
  expect(first).toEqual({ summary: 'Until the next check', ms: 50 });
  expect(second!.ms).toBeGreaterThan(hourMs / 2);
  expect(others).toEqual([]);
  const wrong = 'records are not right: TXT';
  expect(await columnsOf(handle)).toEqual([name, 'unverified', wrong, 'next check', new Date(status.nextAt!)]);
  const description = await handle.describe();
  expect(await description.staticSummary()).toBe(`Domain ${name}`);
  expect(description.searchAttributes).toMatchObject({ organizationId: [organizationId], domainId: [id] });
  const { currentDetails, definition } = await readMetadata(handle);
  expect(currentDetails).toContain(`- needed: TXT ${txt.name}: \`value\`\n- found: TXT ${txt.name}: nothing there\n`);
  const { queryDefinitions, signalDefinitions, updateDefinitions } = definition!;
  const described = [queryDefinitions, signalDefinitions, updateDefinitions].flatMap((all) => all ?? []);
  const own = described.filter((message) => !message.name!.startsWith('__'));
  expect(own.map((message) => message.name)).toEqual(['status', 'wake', 'check']);
  for (const { description } of own) expect(description).toMatch(/^[A-Z].*\.$/);
  await handle.terminate();
});

test.each([
  ['verified', checked(true)],
  ['failing', checked(false, { isVerified: true, failedChecks: 2 })],
  ['unverified', checked(false, { failedChecks: 3 })],
  ['taken', checked(true, { isVerified: false, check: { ...checked(true).check!, result: 'taken' } })],
])('a domain is listed as %s', async (state, look) => {
  mockChecks(look);
  const handle = await start();
  await until(handle, ({ checks }) => checks === 1);
  expect((await columnsOf(handle))[1]).toBe(state);
  await handle.terminate();
});

test('callers that ask for a check at the same time share it, before all other work, and it moves the next one', async () => {
  let checks = 0;
  const asked = Promise.withResolvers<void>();
  const priorities: unknown[] = [];
  workflows.mock({
    async checkDomain({ isAsked }) {
      checks += 1;
      if (!isAsked) return checked(true);
      priorities.push(Context.current().info.priority?.priorityKey);
      await asked.promise;
      return checked(true, { nextInMs: 2 * hourMs });
    },
  } satisfies DomainActivities);
  const handle = await start();
  await until(handle, ({ checks: done }) => done === 1);
  const answers = Promise.all(Array.from({ length: 6 }, () => ask(handle)));
  // Their updates have been taken by now, or are answered by a check of their own.
  await eventually(async () => {
    const { events } = await handle.fetchHistory();
    return events!.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length === 6;
  });
  asked.resolve();
  expect(new Set((await answers).map(({ checkedAt }) => checkedAt)).size).toBe(1);
  expect({ checks, priorities }).toEqual({ checks: 2, priorities: [1] });
  const timers = await eventually(
    () => timersOf(handle),
    (all) => all.length === 2,
  );
  expect(timers[1]!.ms).toBeGreaterThan(1.5 * hourMs);
  await handle.terminate();
});

test('a DNS check whose attempts all fail is made again minutes later, and a caller’s update is answered meanwhile', async () => {
  workflows.mock({
    async checkDomain({ isAsked }) {
      if (isAsked) return checked(true);
      throw ApplicationFailure.nonRetryable('the database is away');
    },
  } satisfies DomainActivities);
  const handle = await start();
  const timers = await eventually(
    () => timersOf(handle),
    (all) => all.length === 1,
  );
  expect(timers[0]!.ms).toBeGreaterThan(4 * 60_000);
  expect(await ask(handle)).toMatchObject({ outcome: 'right' });
  expect(await until(handle, ({ checks }) => checks === 1)).toMatchObject({ state: 'verified' });
  await handle.terminate();
});

test('a check is tried again while it fails, and passes on the weight that the check before has told', async () => {
  const inputs: unknown[] = [];
  workflows.mock({
    async checkDomain(input) {
      inputs.push(input.weight);
      if (inputs.length === 1) throw new Error('the database is away');
      return checked(true, { weight: 3 });
    },
  } satisfies DomainActivities);
  const handle = await start();
  await until(handle, ({ checks }) => checks === 1);
  await handle.signal('wake');
  await until(handle, ({ checks }) => checks === 2);
  expect(inputs).toEqual([1, 1, 3]);
  await handle.terminate();
});

test('a domain that is deleted ends its workflow, and a caller that asks then is told', async () => {
  mockChecks(checked(true), { isGone: true, check: null });
  const handle = await start();
  await until(handle, ({ checks }) => checks === 1);
  await expect(ask(handle)).rejects.toBeInstanceOf(WorkflowUpdateFailedError);
  expect(await handle.result()).toMatchObject({ state: 'deleted', nextAt: null });
});

test('a domain whose organization changes its plan has the weight of that plan from the next check on', async () => {
  const { id, organization } = await addDomain(db);
  workflows.mock(checksThatFind(db, 'wrong'));
  const handle = await workflows.start(startOfDomain({ id, organizationId: organization.id, domain: name }));
  const priority = async () => (await handle.describe()).priority;
  for (const [plan, weight] of [
    ['premium', 3],
    ['free', 1],
  ] as const) {
    await db.query('update organizations set plan = $2 where id = $1', [organization.id, plan]);
    await eventually(priority, (found) => (found?.fairnessWeight ?? 1) === weight);
  }
  expect(await priority()).toMatchObject({ priorityKey: 3, fairnessKey: organization.id });
  await handle.terminate();
});
