// @module-tag process

import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { recordHistory } from '#test/support/histories.ts';
import { columnsOf, counter, scheduled, turns } from '#test/support/turns.ts';
import { readMetadata } from '#test/support/workflow-metadata.ts';
import { useWorkflows } from '#test/support/workflows.ts';
import { moveStatusQuery, startOfMove } from '#workflows/clicks/move-clicks.ts';

const workflows = useWorkflows();

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

  test('a worker without ClickHouse ends it, and lists say why', async () => {
    workflows.mock({
      async listMovedMonths() {
        throw ApplicationFailure.nonRetryable('A worker has no CLICKHOUSE_URL');
      },
    });
    const handle = await workflows.start(startOfMove({ to: 'clickhouse', removes: false }));
    await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect((await columnsOf(handle)).slice(1)).toEqual(['failed', 'A worker has no CLICKHOUSE_URL', undefined]);
    await recordHistory('move-clicks-failed', handle);
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

  test('an organization that was given up stops no other, and the run fails and names the last one', async () => {
    workflows.mock({
      async exportToWarehouse({ after }: { after: string | null }) {
        const some = { organizations: 0, files: 0, rows: 0, unchanged: 0 };
        if (after === null) return { ...some, organizations: 1, after: 'a', more: true };
        if (after === 'a') return { ...some, after: 'b', error: 'the disk is full', more: true };
        return { ...some, organizations: 2, after: 'd', more: false };
      },
    });
    const handle = await workflows.start(scheduled('warehouseExport'));
    const wrong = 'no files for 1 organization: b: the disk is full';
    const error = (await handle.result().catch((caught: unknown) => caught)) as WorkflowFailedError;
    expect(error.cause).toMatchObject({ message: wrong, details: [{ organizations: 3, after: 'd' }] });
    expect((await columnsOf(handle)).slice(1)).toEqual(['incomplete', wrong, undefined]);
    await recordHistory('warehouse-export-failed', handle);
  });

  test('an export ends after ten organizations in a row that were given up', async () => {
    const { done, count } = counter();
    workflows.mock({
      async exportToWarehouse() {
        const after = String(count('turns'));
        const error = after === '3' ? {} : { error: 'the bucket does not exist' };
        return { organizations: after === '3' ? 1 : 0, files: 0, rows: 0, unchanged: 0, after, ...error, more: true };
      },
    });
    const handle = await workflows.start(scheduled('warehouseExport'));
    await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect(done.turns).toBe(13);
    const [, , lastError] = await columnsOf(handle);
    expect(lastError).toBe('no files for 12 organizations: 13: the bucket does not exist');
  });
});
