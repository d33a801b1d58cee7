import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { installRuntime } from '#adapters/temporal/worker.ts';
import { workflowBundlePath } from '#scripts/bundle-workflows.ts';
import { historiesFolder } from '#test/support/histories.ts';
import { silent } from '#test/support/test-worker.ts';

const names = readdirSync(historiesFolder).filter((name) => name.endsWith('.json'));
const read = (name: string): unknown => JSON.parse(readFileSync(join(historiesFolder, name), 'utf8'));

beforeAll(() => installRuntime(silent));

async function replay(history: unknown): Promise<Error | undefined> {
  const results = Worker.runReplayHistories({ workflowBundle: { codePath: workflowBundlePath } }, [
    { workflowId: 'replay', history },
  ]);
  for await (const result of results) return result.error;
  throw new Error('nothing was replayed');
}

test('the committed histories cover every path of the workflows', () => {
  expect(names).toEqual([
    'click-retention.json',
    'delete-domain-continued.json',
    'delete-domain-waiting.json',
    'delete-domain.json',
    'delete-folder.json',
    'delete-link.json',
    'delete-organization.json',
    'domain-asked.json',
    'domain-continued.json',
    'domain-deleted.json',
    'domain-lost.json',
    'domain-verified-at-once.json',
    'domain-verified-later.json',
    'file-sweep.json',
    'housekeeping-batches.json',
    'housekeeping-failed-step.json',
    'housekeeping.json',
    'import-links-continued.json',
    'import-links-suspended.json',
    'import-links.json',
    'threat-lists-failed.json',
    'threat-lists-reset.json',
    'threat-lists.json',
    'threat-mail.json',
    'threat-rescan-completed.json',
    'threat-rescan-retried.json',
    'threat-rescan-turns.json',
    'threat-scan-answered.json',
    'threat-scan-completed.json',
    'threat-scan-postponed.json',
    'threat-scan-retried.json',
    'visitor-keys.json',
    'webhook-continue-as-new.json',
    'webhook-deleted.json',
    'webhook-enabled-again.json',
    'webhook-failing.json',
    'webhook-stopped.json',
    'webhook-turned-off.json',
    'webhook-well.json',
    'webhook-worker-death.json',
  ]);
});

// Running workflows of an older release continue with the code of this one.
test.each(names)('the current workflow replays %s', async (name) => {
  expect(await replay(read(name))).toBeUndefined();
});

test('replaying a history of other commands fails', async () => {
  const history = JSON.stringify(read('threat-scan-completed.json'));
  const tampered = JSON.parse(history.replaceAll('scanUrls', 'somethingElse'));
  expect(await replay(tampered)).toBeInstanceOf(DeterminismViolationError);
});
