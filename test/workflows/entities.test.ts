// @module-tag process

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, test } from 'vitest';
import { displayNameKey, lastErrorKey, nextStepKey, stateKey } from '#core/temporal/search-attributes.ts';
import { eventually } from '#test/support/eventually.ts';
import { useWorkflows } from '#test/support/workflows.ts';
import { readMetadata, timersOf } from '#test/support/workflow-metadata.ts';
import { startOfDomain } from '#workflows/domain.ts';
import { frameCheckStatusQuery, startOfFrameCheck } from '#workflows/frame-check.ts';
import { startOfInvitation } from '#workflows/invitation.ts';
import { linkReportStatusQuery, startOfLinkReport } from '#workflows/link-report.ts';
import { startOfAccountNotice, startOfPasswordReset, startOfThreatMail } from '#workflows/mail.ts';
import { startOfWebhook } from '#workflows/webhook.ts';
import { byDay } from '#test/support/night.ts';

const workflows = useWorkflows();
const organizationId = randomUUID();
const link = { organizationId, domain: 'go.example', slug: 'a' };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const refused = (): Promise<never> => Promise.reject(ApplicationFailure.nonRetryable('the server takes no mail'));

/** Attempts of the mocked activities of a test, in their order. */
const attempts: number[] = [];
const attempt = (): number => {
  attempts.push(Context.current().info.attempt);
  return attempts.length;
};
beforeEach(() => void (attempts.length = 0));

async function columnsOf(handle: WorkflowHandle): Promise<unknown[]> {
  const { typedSearchAttributes: columns } = await handle.describe();
  return [displayNameKey, stateKey, lastErrorKey, nextStepKey].map((key) => columns.get(key));
}
const detailsOf = async (handle: WorkflowHandle): Promise<string> => (await readMetadata(handle)).currentDetails!;
const listedAs = (handle: WorkflowHandle, state: string): Promise<unknown[]> =>
  eventually(
    () => columnsOf(handle),
    (columns) => columns[1] === state,
  );

describe('a mail', () => {
  test.each([
    { name: 'password reset', startOf: startOfPasswordReset, activity: 'mailPasswordReset', priorityKey: 1 },
    { name: 'account notice', startOf: startOfAccountNotice, activity: 'mailAccountNotice', priorityKey: 3 },
  ])(
    'a mail, $name, is tried again until the mail server takes it',
    async ({ name, startOf, activity, priorityKey }) => {
      const priorities: unknown[] = [];
      workflows.mock({
        async [activity]() {
          priorities.push(Context.current().info.priority?.priorityKey);
          if (attempt() === 1) throw new Error('the server is busy');
          return { isMailed: true };
        },
      });
      const handle = await workflows.start(startOf({ id: randomUUID() }));
      expect(await handle.result()).toEqual({ mails: 1 });
      expect({ attempts, priorities }).toEqual({ attempts: [1, 2], priorities: [priorityKey, priorityKey] });
      expect(await columnsOf(handle)).toEqual([name, 'completed', undefined, undefined]);
      expect(await detailsOf(handle)).toBe('Mailed.');
    },
  );

  test('one that is not needed any more is not sent, and says so', async () => {
    workflows.mock({ mailPasswordReset: async () => ({ isMailed: false }) });
    const handle = await workflows.start(startOfPasswordReset({ id: randomUUID() }));
    expect(await handle.result()).toEqual({ mails: 0 });
    expect(await detailsOf(handle)).toMatch(/^Not mailed: the link ended before/);
  });

  test('one that the mail server takes in no attempt ends as failed', async () => {
    workflows.mock({ mailPasswordReset: refused });
    const handle = await workflows.start(startOfPasswordReset({ id: randomUUID() }));
    await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    const columns = await columnsOf(handle);
    expect(columns).toEqual(['password reset', 'unsent', 'the mail server took no mail', undefined]);
    expect(await detailsOf(handle)).toMatch(/^Not mailed: the mail server took no mail while/);
  });

  test('threats to an organization gather for fifteen seconds, and go out in as many mails as they need', async () => {
    workflows.mock({ tellOfThreats: async () => ({ more: attempt() < 3 }) });
    const start = startOfThreatMail({ id: organizationId, name: 'Example' });
    expect(start.options.startDelay).toBe('15s');
    const handle = await workflows.start({ ...start, options: { ...start.options, startDelay: 0 } });
    expect(await handle.result()).toEqual({ mails: 3 });
    expect(await detailsOf(handle)).toBe('Mailed: 3 mails.');
    expect(await (await handle.describe()).staticSummary()).toBe('Tell the owner of Example of new threats');
  });
});

describe('an invitation', () => {
  const start = () => workflows.start(startOfInvitation({ id: randomUUID(), organizationId }));

  test('it is mailed, waits for its end by a timer, and is looked at again when it is asked for', async () => {
    workflows.mock({
      async lookAtInvitation() {
        const look = attempt();
        if (look === 1) throw new Error('the server is busy');
        return look < 4 ? { openForMs: dayMs, isMailed: true } : { isMailed: false };
      },
    });
    const handle = await start();
    const columns = await eventually(
      () => columnsOf(handle),
      ([, , , nextStep]) => nextStep === 'its end',
    );
    expect(columns.slice(1)).toEqual(['open', undefined, 'its end']);
    expect(await detailsOf(handle)).toMatch(/^Mailed; waits/);
    // A moment later than its end.
    const timer = { summary: 'Until its end, or the next attempt', ms: dayMs + 1_000 };
    expect(
      await eventually(
        () => timersOf(handle),
        ({ length }) => length === 1,
      ),
    ).toEqual([timer]);
    await handle.signal('wake');
    await eventually(() => attempts.length === 3);
    await handle.signal('wake');
    await handle.result();
    expect(attempts).toEqual([1, 2, 1, 1]);
    expect((await columnsOf(handle)).slice(1)).toEqual(['completed', undefined, undefined]);
  });

  test('one whose time is over is ended when its timer fires', async () => {
    workflows.mock({
      lookAtInvitation: async () => ({ isMailed: false, ...(attempt() === 1 ? { openForMs: 10 } : {}) }),
    });
    const handle = await start();
    await handle.result();
    expect(attempts).toEqual([1, 1]);
  });

  test('one that the mail server takes in no attempt says so, waits a day, and is mailed when it is asked for', async () => {
    workflows.mock({ lookAtInvitation: () => (attempt() === 1 ? refused() : { openForMs: dayMs, isMailed: true }) });
    const handle = await start();
    const columns = await listedAs(handle, 'unsent');
    expect(columns.slice(2)).toEqual(['the mail server took no mail', 'send it again']);
    expect(
      (
        await eventually(
          () => timersOf(handle),
          ({ length }) => length === 1,
        )
      )[0]!.ms,
    ).toBe(dayMs + 1_000);
    await handle.signal('wake');
    await listedAs(handle, 'open');
    await handle.terminate();
  });
});

describe('a report', () => {
  test('it is looked at with each visitor and every day, until staff close it', async () => {
    workflows.mock({
      async readReport() {
        const reports = attempt();
        return { state: reports < 3 ? 'open' : 'acted', reports, reasons: { phishing: 1, spam: reports - 1 } };
      },
    });
    const handle = await workflows.start(startOfLinkReport({ ...link, id: randomUUID(), linkId: randomUUID() }));
    await eventually(() => attempts.length === 1);
    expect(await columnsOf(handle)).toEqual(['go.example/a', 'open', undefined, 'staff close it']);
    const timers = await eventually(
      () => timersOf(handle),
      ({ length }) => length === 1,
    );
    expect(timers).toEqual([{ summary: 'Until the next look', ms: dayMs }]);
    await handle.signal('wake');
    await eventually(
      () => handle.query(linkReportStatusQuery),
      ({ reports }) => reports === 2,
    );
    expect(await detailsOf(handle)).toContain('Reported by 2 visitors.');
    await handle.signal('wake');
    expect(await handle.result()).toEqual({ state: 'acted', reports: 3, reasons: { phishing: 1, spam: 2 } });
    expect((await columnsOf(handle))[1]).toBe('acted');
  });
});

describe('a check of frames', () => {
  const start = () => workflows.start(startOfFrameCheck({ ...link, id: randomUUID() }));

  test('a site without an answer is asked again a minute later, and at once when the link changes', async () => {
    workflows.mock({ askForFrames: async () => ({ asked: 1, refused: 0, unanswered: attempt() === 1 ? 1 : 0 }) });
    const handle = await start();
    const timers = await eventually(
      () => timersOf(handle),
      ({ length }) => length === 1,
    );
    expect(timers).toEqual([{ summary: 'Until destinations without an answer are asked again', ms: 60_000 }]);
    expect(await handle.query(frameCheckStatusQuery)).toMatchObject({ unanswered: 1 });
    await handle.signal('ask');
    expect(await handle.result()).toEqual({ asked: 1, refused: 0, unanswered: 0 });
    expect(await columnsOf(handle)).toEqual(['go.example/a', 'completed', undefined, undefined]);
  });

  test('one that the database is away for is tried again', async () => {
    workflows.mock({
      async askForFrames() {
        if (attempt() === 1) throw new Error('the database is away');
        return { asked: 2, refused: 1, unanswered: 0 };
      },
    });
    const handle = await start();
    expect(await handle.result()).toMatchObject({ refused: 1 });
    expect(attempts).toEqual([1, 2]);
    expect(await detailsOf(handle)).toContain('- refuse frames, so that visitors are redirected: 1');
  });
});

describe('an entity that is woken again and again', () => {
  const looks = 12;
  const isLast = (): boolean => attempt() > looks;

  const entities = [
    { start: startOfWebhook({ id: randomUUID(), organizationId, host: 'crm.example' }), signal: 'wake' },
    { start: startOfDomain({ id: randomUUID(), organizationId, domain: 'go.example' }), signal: 'wake' },
    { start: startOfInvitation({ id: randomUUID(), organizationId }), signal: 'wake' },
    { start: startOfLinkReport({ ...link, id: randomUUID(), linkId: randomUUID() }), signal: 'wake' },
    { start: startOfFrameCheck({ ...link, id: randomUUID() }), signal: 'ask' },
  ];
  test.each(byDay(entities, 2))(
    '$start.type continues as new when its history is long, and hears the next signal',
    async ({ start, signal }) => {
      workflows.mock({
        lookAtInvitation: async () => ({ isMailed: false, ...(isLast() ? {} : { openForMs: hourMs }) }),
        readReport: async () => ({ state: isLast() ? 'dismissed' : 'open', reports: 1, reasons: {} }),
        askForFrames: async () => ({ asked: 1, refused: 0, unanswered: isLast() ? 0 : 1 }),
        checkDomain: async () => ({
          isGone: isLast(),
          isVerified: true,
          failedChecks: 0,
          nextInMs: hourMs,
          check: null,
        }),
        pump: async () => ({
          state: isLast() ? 'deleted' : 'on',
          delivered: 1,
          failed: 0,
          isFailing: false,
          consecutiveFailures: 0,
          waiting: 0,
          nextInMs: null,
          mailDue: false,
          host: 'crm.example',
        }),
      });
      const { workflowId } = await workflows.start(start);
      const handle = workflows.client.workflow.getHandle(workflowId);
      // Signals that come during a look count as one.
      for (let woken = 1; attempts.length <= looks; woken += 1) {
        await eventually(() => attempts.length >= woken);
        await handle.signal(signal).catch(() => undefined);
      }
      const result: unknown = await handle.result();
      // What it knew has come along.
      if (start.type === 'webhook') expect(result).toMatchObject({ delivered: attempts.length });
      const runs = await eventually(
        () => workflows.runsOf(workflowId),
        (all) => all.every(({ status: { name } }) => name !== 'RUNNING'),
      );
      expect(runs.length).toBeGreaterThan(1);
      expect(runs.at(-1)!.status.name).toBe('CONTINUED_AS_NEW');
    },
  );
});
