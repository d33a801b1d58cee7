// @module-tag process
// Long: work in turns of every kind, on one Temporal server, whose start takes seconds.

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { eventually } from '#test/support/eventually.ts';
import { byDay } from '#test/support/night.ts';
import { recordHistory } from '#test/support/histories.ts';
import { columnsOf, counter, scheduled, turns } from '#test/support/turns.ts';
import { readMetadata, timersOf } from '#test/support/workflow-metadata.ts';
import { useWorkflows } from '#test/support/workflows.ts';
import { deleteStatusQuery, startOfDeletion } from '#workflows/deletions.ts';
import { importStatusQuery, startOfImport, undoImportStatusQuery } from '#workflows/imports.ts';
import { startOfScan } from '#workflows/threats/scan.ts';

const workflows = useWorkflows();
const organizationId = randomUUID();
const importOf = (state: 'pending' | 'undoing') =>
  startOfImport({
    id: randomUUID(),
    organizationId,
    organization: 'Example',
    format: 'yourls',
    total: turns,
    imported: state === 'undoing' ? turns : 0,
    state,
  });
const deletionOf = (kind: 'links' | 'domain' | 'folder' | 'organization') =>
  startOfDeletion({ id: randomUUID(), kind, organizationId, links: turns, linkIds: [], names: ['go.example'] });
const scanOf = (options?: { isBulk: boolean }, of: string = organizationId) => {
  const target = { destinationId: randomUUID(), linkId: randomUUID(), domainId: null, organizationId: of };
  return startOfScan(randomUUID(), [{ ...target, urlHash: 'ab', url: 'https://host.example/secret' }], options);
};

describe('work in turns', () => {
  const works = [
    {
      start: importOf('pending'),
      taken: { importLinks: turns },
      result: { state: 'completed', imported: turns },
    },
    {
      start: importOf('undoing'),
      taken: { undoImport: turns },
      result: { state: 'undone', removed: turns },
    },
    {
      start: deletionOf('domain'),
      taken: { tellOfDeletes: 1, settleDelete: 1, removeDeletedLinks: turns, finishDelete: 1 },
      result: { state: 'completed', told: 1, linksRemoved: turns, clicksRemoved: 2 * turns, rowsRemoved: 3 * turns },
    },
    {
      start: scheduled('threatRescan'),
      taken: { rescanUrls: turns },
      result: { state: 'completed', answered: turns },
    },
  ];
  test.each(byDay(works, 1))(
    '$start.type continues as new when its history is long, keeps its counts, and repeats nothing',
    async ({ start, taken, result }) => {
      const { done, count } = counter();
      workflows.mock({
        async importLinks() {
          const imported = count('importLinks');
          return { state: imported < turns ? 'running' : 'completed', total: turns, imported, skipped: 0, failed: 0 };
        },
        async undoImport() {
          const removed = count('undoImport');
          const state = removed < turns ? 'undoing' : 'undone';
          return { state, imported: turns, removed, kept: 0, left: turns - removed };
        },
        tellOfDeletes: async () => ({ told: count('tellOfDeletes'), more: false }),
        settleDelete: async () => ({ waitMs: count('settleDelete') }),
        async removeDeletedLinks() {
          const linksLeft = turns - count('removeDeletedLinks');
          return { links: 1, clicks: 2, rows: 3, linksLeft, more: linksLeft > 0 };
        },
        finishDelete: async () => count('finishDelete') > 0,
        async rescanUrls(from: object) {
          const answered = count('rescanUrls');
          return { ...from, after: 'ab', pages: answered, answered, flagged: 0, left: 0, more: answered < turns };
        },
      });
      const { workflowId } = await workflows.start(start);
      expect(await workflows.client.workflow.getHandle(workflowId).result()).toMatchObject(result);
      // What was done before the new run is not done again.
      expect(done).toEqual(taken);
      // Temporal lists the end of a run a moment after it.
      const runs = await eventually(
        () => workflows.runsOf(workflowId),
        (all) => all.every(({ status: { name } }) => name !== 'RUNNING'),
      );
      const names = runs.map(({ status: { name } }) => name).toSorted();
      expect(names).toEqual(['COMPLETED', ...Array(names.length - 1).fill('CONTINUED_AS_NEW')]);
      expect(names.length).toBeGreaterThan(1);
    },
  );

  test('a turn that fails is begun again', async () => {
    const attempts: number[] = [];
    workflows.mock({
      async importLinks() {
        attempts.push(Context.current().info.attempt);
        if (attempts.length === 1) throw new Error('the database is away');
        return { state: 'completed', total: turns, imported: turns, skipped: 0, failed: 0 };
      },
    });
    const handle = await workflows.start(importOf('pending'));
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(attempts).toEqual([1, 2]);
  });
});

describe('an import', () => {
  test('it is listed by its organization, and tells of rows that failed', async () => {
    workflows.mock({
      importLinks: async () => ({ state: 'completed', total: 12, imported: 9, skipped: 1, failed: 2 }),
    });
    const handle = await workflows.start(importOf('pending'));
    const wanted = { state: 'completed', total: 12, imported: 9, skipped: 1, failed: 2 };
    expect(await handle.result()).toEqual(wanted);
    expect(await handle.query(importStatusQuery)).toEqual(wanted);
    expect(await columnsOf(handle)).toEqual(['Example', 'completed', '2 rows failed', undefined]);
    expect(await (await handle.describe()).staticSummary()).toBe(`Import ${turns} links (yourls) for Example`);
    expect((await readMetadata(handle)).currentDetails).toContain('- failed: 2');
  });

  test('it waits by a timer for the end of an undo, and an undo for the end of an import', async () => {
    const { done, count } = counter();
    workflows.mock({
      importLinks: async () =>
        count('importLinks') === 1
          ? { state: 'pending', total: 2, imported: 0, skipped: 0, failed: 0, isWaiting: true }
          : { state: 'completed', total: 2, imported: 2, skipped: 0, failed: 0 },
      undoImport: async () =>
        count('undoImport') === 1
          ? { state: 'undoing', imported: 2, removed: 0, kept: 0, left: 2, isWaiting: true }
          : { state: 'undone', imported: 2, removed: 2, kept: 0, left: 0 },
    });
    const [run, undo] = [await workflows.start(importOf('pending')), await workflows.start(importOf('undoing'))];
    expect(await run.result()).toEqual({ state: 'completed', total: 2, imported: 2, skipped: 0, failed: 0 });
    expect(await undo.result()).toEqual({ state: 'undone', imported: 2, removed: 2, kept: 0, left: 0 });
    expect(done).toEqual({ importLinks: 2, undoImport: 2 });
    expect(await timersOf(run)).toEqual([
      { summary: 'Until no import of the organization is being undone', ms: 1_000 },
    ]);
    expect(await timersOf(undo)).toEqual([{ summary: 'Until no import of the organization runs', ms: 1_000 }]);
    await recordHistory('import-links-waiting', run);
    await recordHistory('undo-import-waiting', undo);
  });

  test('it ends when its organization is deleted meanwhile, and so does its undo', async () => {
    workflows.mock({ importLinks: async () => null, undoImport: async () => null });
    const [run, undo] = [await workflows.start(importOf('pending')), await workflows.start(importOf('undoing'))];
    expect(await run.result()).toMatchObject({ state: 'gone', total: turns });
    expect(await undo.result()).toMatchObject({ state: 'gone', imported: turns });
    expect(await undo.query(undoImportStatusQuery)).toMatchObject({ state: 'gone' });
    expect(await (await undo.describe()).staticSummary()).toBe(`Undo the import of ${turns} links for Example`);
  });
});

describe('an undo of an import', () => {
  test('one that is asked for again after its last turn, before its run has ended, looks once more', async () => {
    const { client, taskQueue } = workflows;
    const startWorkflow = createStartWorkflow({ client, taskQueue });
    const start = importOf('undoing');
    const { done, count } = counter();
    workflows.mock({
      async undoImport() {
        const removed = count('undoImport');
        // The row says that this undo is over; a call widens it, before the workflow knows.
        if (removed === 1) await startWorkflow(start);
        return { state: 'undone', imported: 2, removed, kept: 2 - removed, left: 0 };
      },
    });
    await startWorkflow(start);
    const handle = client.workflow.getHandle(start.options.workflowId);
    expect(await handle.result()).toMatchObject({ state: 'undone', removed: 2 });
    expect(done).toEqual({ undoImport: 2 });
    await recordHistory('undo-import-asked-again', handle);
  });
});

describe('a deletion', () => {
  const removed = { links: 0, clicks: 0, rows: 0, linksLeft: 0, more: false };

  test('it waits for late clicks by a timer, and removes an organization’s other rows', async () => {
    const { done, count } = counter();
    workflows.mock({
      tellOfDeletes: async () => ({ told: count('tellOfDeletes'), more: false }),
      settleDelete: async () => ({ waitMs: 30 * count('settleDelete') }),
      removeDeletedLinks: async () => ({ ...removed, links: count('removeDeletedLinks') }),
      removeDeletedBelongings: async () => ({ ...removed, rows: count('removeDeletedBelongings') }),
      finishDelete: async () => count('finishDelete') > 0,
    });
    const handle = await workflows.start(deletionOf('organization'));
    expect(await handle.result()).toMatchObject({ state: 'completed', linksRemoved: 1, rowsRemoved: 1 });
    expect(Object.keys(done)).toHaveLength(5);
    expect(await timersOf(handle)).toEqual([{ summary: 'Until no click can be under way any more', ms: 30 }]);
    expect(await columnsOf(handle)).toEqual(['go.example', 'completed', undefined, undefined]);
  });

  test('one whose statement waits for a lock is listed as locked, with the process that holds it, until it goes on', async () => {
    const unlocked = Promise.withResolvers<void>();
    workflows.mock({
      settleDelete: async () => ({ waitMs: 0 }),
      async removeDeletedLinks() {
        const { client, info } = Context.current();
        await client.workflow.getHandle(info.workflowExecution!.workflowId).signal('waits', 'process 4711');
        await unlocked.promise;
        return removed;
      },
      finishDelete: async () => true,
    });
    const handle = await workflows.start(deletionOf('links'));
    const columns = await eventually(
      () => columnsOf(handle),
      ([, state]) => state === 'locked',
    );
    expect(columns.slice(1)).toEqual(['locked', 'process 4711', 'end the process that holds it']);
    unlocked.resolve();
    await handle.result();
    expect((await columnsOf(handle)).slice(1)).toEqual(['completed', undefined, undefined]);
  });

  test('a domain whose row other deletions need waits for them by a timer', async () => {
    const { done, count } = counter();
    workflows.mock({
      tellOfDeletes: async () => ({ told: 0, more: false }),
      settleDelete: async () => ({ waitMs: 0 }),
      removeDeletedLinks: async () => removed,
      finishDelete: async () => count('finishDelete') > 1,
    });
    const handle = await workflows.start(deletionOf('domain'));
    await eventually(() => done.finishDelete === 1);
    const timers = await eventually(
      () => timersOf(handle),
      (all) => all.some(({ ms }) => ms === 10_000),
    );
    expect(timers.at(-1)).toEqual({ summary: 'Until another deletion has ended', ms: 10_000 });
    expect(await handle.query(deleteStatusQuery)).toMatchObject({ state: 'finishing' });
    await handle.terminate();
  });
});

describe('a scan', () => {
  test('it is tried again after the gap that its activity names, and completes', async () => {
    const attempts: number[] = [];
    workflows.mock({
      async scanUrls() {
        attempts.push(Context.current().info.attempt);
        if (attempts.length < 4) throw ApplicationFailure.create({ message: 'left open', nextRetryDelay: 20 });
        return { answered: 1, flagged: 1, open: 0 };
      },
    });
    const handle = await workflows.start(scanOf());
    expect(await handle.result()).toEqual({ state: 'completed', answered: 1, flagged: 1, open: 0 });
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(await columnsOf(handle)).toEqual(['host.example', 'completed', undefined, undefined]);
    expect(await handle.query('state')).toBe('completed');
  });

  test.each([
    [
      'put off',
      async () => ({ answered: 0, flagged: 0, open: 1, nextAt: '2026-11-27T01:00:00.000Z' }),
      'at 2026-11-27T01:00:00.000Z',
    ],
    ['given up', () => Promise.reject(ApplicationFailure.nonRetryable('no')), 'within minutes'],
  ])('one that is %s says when another asks', async (_, scanUrls, when) => {
    workflows.mock({ scanUrls });
    const handle = await workflows.start(scanOf());
    expect(await handle.result()).toMatchObject({ state: 'postponed', open: 1 });
    expect((await readMetadata(handle)).currentDetails).toContain(
      `1 put off. Another scan asks about it again ${when}`,
    );
    const columns = await columnsOf(handle);
    expect(columns).toEqual(['host.example', 'postponed', 'no answer of the scanner', 'another scan']);
  });
});

describe('queues and priorities', () => {
  test.each([
    ['a scan that a call waits for', scanOf(), 'scanUrls', 'scans', 1],
    ['a scan of an import', scanOf({ isBulk: true }), 'scanUrls', 'bulk-scans', 5],
    ['an import', importOf('pending'), 'importLinks', 'bulk', 5],
    ['an undo', importOf('undoing'), 'undoImport', 'bulk', 5],
    ['a deletion', deletionOf('folder'), 'tellOfDeletes', 'bulk', 5],
  ])('the work of %s has its queue, its priority and its organization as key', async (_, start, activity, ...meant) => {
    const [queue, priorityKey] = meant;
    const tasks: unknown[] = [];
    workflows.mock({
      async [activity]() {
        const { taskQueue, priority } = Context.current().info;
        tasks.push([taskQueue, priority]);
        throw ApplicationFailure.nonRetryable('seen');
      },
    });
    await (await workflows.start(start)).result().catch(() => undefined);
    expect(tasks).toEqual([
      [`${workflows.taskQueue}-${queue}`, expect.objectContaining({ priorityKey, fairnessKey: organizationId })],
    ]);
  });

  test('a scan of one organization does not wait behind those of another that came before', async () => {
    const [many, other] = [60, randomUUID()];
    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    workflows.mock({
      async scanUrls() {
        await begun.promise;
        order.push(Context.current().info.priority!.fairnessKey!);
        return { answered: 1, flagged: 0, open: 0 };
      },
    });
    const startScan = (of: string) => workflows.start(scanOf({ isBulk: true }, of));
    const handles = await Promise.all(Array.from({ length: many }, () => startScan(organizationId)));
    handles.push(await startScan(other));
    const areScheduled = async () =>
      (await Promise.all(handles.map((handle) => handle.describe()))).every(
        ({ raw }) => raw.pendingActivities?.length === 1,
      );
    await eventually(areScheduled);
    begun.resolve();
    await Promise.all(handles.map((handle) => handle.result()));
    // Four of a queue run at once, and a few more may be on their way.
    expect(order.indexOf(other)).toBeLessThan(many / 4);
  });
});
