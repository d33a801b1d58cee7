// @module-tag process
// Long: work in turns of every kind, on one Temporal server, whose start takes seconds.

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { displayNameKey, lastErrorKey, nextStepKey, stateKey } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { recordHistory } from '#test/support/histories.ts';
import { eventually } from '#test/support/eventually.ts';
import { useWorkflows } from '#test/support/workflows.ts';
import { readMetadata, timersOf } from '#test/support/workflow-metadata.ts';
import { deleteStatusQuery, startOfDeletion } from '#workflows/deletions.ts';
import { importStatusQuery, startOfImport, undoImportStatusQuery } from '#workflows/imports.ts';
import { moveStatusQuery, startOfMove } from '#workflows/move-clicks.ts';
import { startOfScan } from '#workflows/threats/scan.ts';
import { byDay } from '#test/support/night.ts';

const workflows = useWorkflows();
// Each turn is about six events: far more than one run has.
const turns = 12;
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
const scheduled = (type: string): WorkflowStart => ({
  type,
  options: { workflowId: `${type}-${randomUUID()}`, args: [] },
});

/** Counts calls of a mock by its name. */
function counter(): { done: Record<string, number>; count: (name: string) => number } {
  const done: Record<string, number> = {};
  return { done, count: (name) => (done[name] = (done[name] ?? 0) + 1) };
}

async function columnsOf(handle: WorkflowHandle): Promise<unknown[]> {
  const { typedSearchAttributes: columns } = await handle.describe();
  return [displayNameKey, stateKey, lastErrorKey, nextStepKey].map((key) => columns.get(key));
}

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

  test('it ends when its organization is deleted meanwhile, and so does its undo', async () => {
    workflows.mock({ importLinks: async () => null, undoImport: async () => null });
    const [run, undo] = [await workflows.start(importOf('pending')), await workflows.start(importOf('undoing'))];
    expect(await run.result()).toMatchObject({ state: 'gone', total: turns });
    expect(await undo.result()).toMatchObject({ state: 'gone', imported: turns });
    expect(await undo.query(undoImportStatusQuery)).toMatchObject({ state: 'gone' });
    expect(await (await undo.describe()).staticSummary()).toBe(`Undo the import of ${turns} links for Example`);
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

  test('while a statement waits for a lock, it is listed as locked, with the process that holds it', async () => {
    const freed = Promise.withResolvers<void>();
    workflows.mock({
      async settleDelete() {
        const { client, info } = Context.current();
        const signal = (waits: string | null): Promise<void> =>
          client.workflow.getHandle(info.workflowExecution!.workflowId).signal('waits', waits);
        await signal('2 s for a lock (process 7)');
        await freed.promise;
        await signal(null);
        return { waitMs: 0 };
      },
      removeDeletedLinks: async () => removed,
      finishDelete: async () => true,
    });
    const handle = await workflows.start(deletionOf('links'));
    const columns = await eventually(
      () => columnsOf(handle),
      ([, state]) => state === 'locked',
    );
    expect(columns.slice(1)).toEqual(['locked', '2 s for a lock (process 7)', 'end the process that holds it']);
    freed.resolve();
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
  const scanOf = (options?: { isBulk: boolean }) => {
    const target = { destinationId: randomUUID(), linkId: randomUUID(), domainId: null, organizationId };
    return startOfScan(randomUUID(), [{ ...target, urlHash: 'ab', url: 'https://host.example/secret' }], options);
  };

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
    [{ isBulk: false }, 'scans', 1],
    [{ isBulk: true }, 'bulk-scans', 5],
  ])('one of %j runs on the queue %s with the priority %i', async (options, queue, priorityKey) => {
    const tasks: unknown[] = [];
    workflows.mock({
      async scanUrls() {
        const { taskQueue, priority } = Context.current().info;
        tasks.push([taskQueue, priority]);
        return { answered: 1, flagged: 0, open: 0 };
      },
    });
    await (await workflows.start(scanOf(options))).result();
    expect(tasks).toEqual([
      [`${workflows.taskQueue}-${queue}`, expect.objectContaining({ priorityKey, fairnessKey: organizationId })],
    ]);
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

describe('scheduled work', () => {
  test('a list of threats that is not updated stops no other, and one that was reset is asked for as a whole at once', async () => {
    const asked: string[] = [];
    workflows.mock({
      async updateThreatList({ threatType }: { threatType: string }) {
        asked.push(threatType);
        if (threatType === 'MALWARE') throw ApplicationFailure.nonRetryable('no answer');
        if (asked.filter((type) => type === threatType).length === 1) return { state: 'reset' };
        return { state: 'changed', entries: 3, nextDiffAt: '2026-11-27T01:00:00.000Z' };
      },
    });
    const handle = await workflows.start(scheduled('threatLists'));
    const error = (await handle.result().catch((caught: unknown) => caught)) as WorkflowFailedError;
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error.cause as ApplicationFailure).details![0]).toMatchObject({
      state: 'incomplete',
      failed: ['MALWARE'],
      lists: {
        MALWARE: 'failed, the next run tries again: no answer',
        SOCIAL_ENGINEERING: 'changed, 3 entries, changes are due at 2026-11-27T01:00:00.000Z',
      },
    });
    expect(asked.filter((type) => type === 'SOCIAL_ENGINEERING')).toHaveLength(2);
    expect((await columnsOf(handle)).slice(1)).toEqual(['incomplete', 'not updated: MALWARE', undefined]);
  });

  test('a step of housekeeping that fails is tried again, then stops no other, and the run says which failed', async () => {
    const { done, count } = counter();
    workflows.mock({
      async forgetRows({ rows }: { rows: string }) {
        const time = count(rows);
        if (rows === 'events') throw ApplicationFailure.nonRetryable('no such luck');
        if (rows === 'audit' && time === 1) throw new Error('the database is away');
        return { more: rows === 'imports' };
      },
      reportExpiredLinks: async () => ({ reported: 2, more: false }),
      findFirstKeptDay: async () => null,
      deleteOldBotClicks: async () => 7,
      destroyOldVisitorKeys: async () => ['2020-01'],
      makeVisitorKeys: async () => undefined,
      deleteUnused: async () => 1,
      removeDeleted: async () => ({ removed: 1, revived: 0, more: count('batches') < 3 }),
      redrawPreviews: async () => ({ redrawn: 0, broken: 0, more: false }),
    });
    const handle = await workflows.start(scheduled('housekeeping'));
    await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect((await columnsOf(handle)).slice(1)).toEqual(['incomplete', 'steps failed: events', undefined]);
    expect(done).toMatchObject({ audit: 2, events: 1, batches: 3 });
    const { currentDetails } = await readMetadata(handle);
    for (const line of [
      'events: failed, the next run tries again: no such luck',
      'imports: the next run goes on',
      'journals: done',
      'request log: done',
      'expired links: 2 reported',
      'clicks: all are kept',
      'bot clicks: 7 removed',
      'visitor keys: destroyed 2020-01',
      'files: 1 deleted, 3 removed, 0 brought back',
    ])
      expect(currentDetails).toContain(`- ${line}`);
    await recordHistory('housekeeping-request-log', handle);
  });
});

describe('a move of clicks', () => {
  const some = { parts: 1, copied: 2, removed: 1, different: [] as string[] };
  const id = '018e9c0f-0000-7000-8000-000000000001';

  test('it goes month by month, bots after clicks, through turns and runs, with its progress for operators', async () => {
    const asked: string[] = [];
    const { count } = counter();
    workflows.mock({
      listMovedMonths: async ({ table }: { table: string }) =>
        table === 'clicks' ? ['2026-03', '2026-02'] : ['2026-03'],
      async moveMonth({ table, month, place }: { table: string; month: string; place: unknown }) {
        if (count('tries') === 2) throw new Error('ClickHouse is away');
        asked.push(`${table} ${month} ${place === null ? 'begins' : 'goes on'}`);
        const isOver = count(`${table} ${month}`) === (month === '2026-02' ? turns : 2);
        return { ...some, place: isOver ? null : { organizationId: id, phase: 'copy', after: null } };
      },
    });
    const handle = await workflows.start(startOfMove({ to: 'clickhouse', removes: true }));
    const all = 2 + turns + 2;
    expect(await handle.result()).toEqual({
      state: 'completed',
      to: 'clickhouse',
      months: 3,
      parts: all,
      copied: 2 * all,
      removed: all,
      different: [],
    });
    expect(asked.filter((line) => line.endsWith('begins'))).toEqual([
      'clicks 2026-03 begins',
      'clicks 2026-02 begins',
      'bot_clicks 2026-03 begins',
    ]);
    const runs = await workflows.runsOf(handle.workflowId);
    expect(runs.length).toBeGreaterThan(1);
    expect(await columnsOf(handle)).toEqual(['PostgreSQL to ClickHouse', 'completed', undefined, undefined]);
    const { currentDetails } = await readMetadata(handle);
    expect(currentDetails).toContain('32 copied, 16 removed; 16 parts verified.');
    await recordHistory(
      'move-clicks-continued',
      workflows.client.workflow.getHandle(handle.workflowId, runs.at(-1)!.runId),
    );
    await recordHistory('move-clicks', handle);
  });

  test('clicks that differ fail it at its end, by name', async () => {
    workflows.mock({
      listMovedMonths: async ({ table }: { table: string }) => (table === 'clicks' ? ['2026-03', '2026-02'] : []),
      moveMonth: async ({ month }: { month: string }) => ({
        ...some,
        different: month === '2026-03' ? [id] : [],
        place: null,
      }),
    });
    const handle = await workflows.start(startOfMove({ to: 'postgresql', removes: false }));
    await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect((await columnsOf(handle)).slice(1)).toEqual([
      'different',
      `not the same in both stores: clicks 2026-03 ${id}`,
      undefined,
    ]);
    expect(await handle.query(moveStatusQuery)).toMatchObject({ state: 'different', months: 2, copied: 4 });
    await recordHistory('move-clicks-different', handle);
  });
});

describe('an export for warehouses', () => {
  test('it goes on from the last organization, through turns and runs', { tags: 'nightly' }, async () => {
    const { count } = counter();
    const afters: (string | null)[] = [];
    workflows.mock({
      async exportToWarehouse({ after }: { after: string | null }) {
        if (count('tries') === 2) throw new Error('the storage is away');
        afters.push(after);
        const number = count('turns');
        return { organizations: 1, files: 2, rows: 3, unchanged: 4, after: String(number), more: number < turns };
      },
    });
    const handle = await workflows.start(scheduled('warehouseExport'));
    const sum = { organizations: turns, files: 2 * turns, rows: 3 * turns, unchanged: 4 * turns };
    expect(await handle.result()).toEqual({ ...sum, after: String(turns) });
    expect(afters).toEqual([null, ...Array.from({ length: turns - 1 }, (_, index) => String(index + 1))]);
    const runs = await workflows.runsOf(handle.workflowId);
    expect(runs.length).toBeGreaterThan(1);
    expect((await columnsOf(handle)).slice(1)).toEqual(['completed', undefined, undefined]);
    await recordHistory(
      'warehouse-export-continued',
      workflows.client.workflow.getHandle(handle.workflowId, runs.at(-1)!.runId),
    );
    await recordHistory('warehouse-export', handle);
  });
});
