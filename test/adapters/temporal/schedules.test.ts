import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTemporal } from '#adapters/temporal/client.ts';
import { ensureSchedule } from '#adapters/temporal/schedules.ts';
import { displayNameKey } from '#core/temporal/search-attributes.ts';
import { eventually } from '#test/support/eventually.ts';
import { temporalForTest } from '#test/support/stack.ts';

let client: Client;
beforeAll(async () => void (client = await connectTemporal(temporalForTest())));
afterAll(() => client.connection.close());

const createDraft = () => ({
  id: `schedule-${uuidv7()}`,
  workflowType: 'housekeeping',
  taskQueue: temporalForTest().taskQueue,
  everyMs: 3_600_000,
  summary: 'Again and again',
});

describe('the schedule', () => {
  test('the schedule is created once, updated later, and stays paused', async () => {
    const draft = createDraft();
    const handle = client.schedule.getHandle(draft.id);
    try {
      await ensureSchedule(client, draft);
      await ensureSchedule(client, draft);
      // The schedule was up to date, so the second call did not update it.
      expect((await handle.describe()).info.lastUpdatedAt).toBeUndefined();
      await handle.pause();
      // A pause takes effect a moment after the call.
      await eventually(
        () => handle.describe(),
        ({ state }) => state.paused,
      );
      await ensureSchedule(client, { ...draft, everyMs: 7_200_000 });
      // So does an update.
      const { state } = await eventually(
        () => handle.describe(),
        ({ spec }) => spec.intervals?.[0]?.every === 7_200_000,
      );
      expect(state.paused).toBe(true);
    } finally {
      await handle.delete();
    }
  });

  test('the schedule starts its workflow', async () => {
    const draft = createDraft();
    const handle = client.schedule.getHandle(draft.id);
    try {
      await ensureSchedule(client, draft);
      await handle.trigger();
      const { info } = await eventually(
        () => handle.describe(),
        (description) => description.info.recentActions.length > 0,
      );
      const { workflow } = info.recentActions[0]!.action;
      const started = client.workflow.getHandle(workflow.workflowId);
      const description = await started.describe();
      expect(description).toMatchObject({
        type: 'housekeeping',
        taskQueue: draft.taskQueue,
        priority: { priorityKey: 5 },
      });
      expect(description.typedSearchAttributes.get(displayNameKey)).toBe(draft.id);
      await started.terminate();
    } finally {
      await handle.delete();
    }
  });
});
