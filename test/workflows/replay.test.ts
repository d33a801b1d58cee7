// @module-tag slow

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, expect, test } from 'vitest';
import { historiesFolder, replay } from '#test/support/histories.ts';
import { installSilentRuntime } from '#test/support/test-worker.ts';

const names = readdirSync(historiesFolder).filter((name) => name.endsWith('.json'));
const read = (name: string): unknown => JSON.parse(readFileSync(join(historiesFolder, name), 'utf8'));

/** The errors of the committed histories by name; undefined: the history replays. One worker replays all of them. */
let errors: ReadonlyMap<string, Error | undefined>;
beforeAll(async () => {
  installSilentRuntime();
  errors = await replay(names.map((name) => ({ workflowId: name, history: read(name) })));
});

test('the committed histories cover every path of the workflows', () => {
  expect(names).toEqual([
    'account-notice-unsent.json',
    'account-notice.json',
    'delete-domain-continued.json',
    'delete-domain-waiting.json',
    'delete-domain.json',
    'delete-folder.json',
    'delete-link-locked.json',
    'delete-link.json',
    'delete-organization.json',
    'domain-asked.json',
    'domain-continued.json',
    'domain-deleted.json',
    'domain-listed.json',
    'domain-lost.json',
    'domain-new-version.json',
    'domain-verified-at-once.json',
    'domain-verified-later.json',
    'frame-check-continued.json',
    'frame-check-retried.json',
    'frame-check.json',
    'housekeeping-batches.json',
    'housekeeping-bot-clicks.json',
    'housekeeping-expired-links.json',
    'housekeeping-failed-run.json',
    'housekeeping-failed-step.json',
    'housekeeping-previews.json',
    'housekeeping-request-log.json',
    'housekeeping.json',
    'import-links-cancelled.json',
    'import-links-continued.json',
    'import-links-suspended.json',
    'import-links.json',
    'invitation-continued.json',
    'invitation-expired.json',
    'invitation-new-version.json',
    'invitation-revoked.json',
    'invitation-unsent.json',
    'invitation.json',
    'link-report-gone.json',
    'link-report-new-version.json',
    'link-report.json',
    'mail-account-notice-failed.json',
    'mail-account-notice-unsent.json',
    'mail-account-notice.json',
    'mail-password-reset-failed.json',
    'mail-password-reset-unsent.json',
    'mail-password-reset.json',
    'mail-threats.json',
    'move-clicks-continued.json',
    'move-clicks-different.json',
    'move-clicks.json',
    'password-reset-unsent.json',
    'password-reset.json',
    'threat-lists-failed-run.json',
    'threat-lists-failed.json',
    'threat-lists-reset.json',
    'threat-lists.json',
    'threat-mail.json',
    'threat-rescan-completed.json',
    'threat-rescan-retried.json',
    'threat-rescan-turns.json',
    'threat-scan-completed.json',
    'threat-scan-postponed.json',
    'threat-scan-retried.json',
    'undo-import-asked-again.json',
    'undo-import-continued.json',
    'undo-import-gone.json',
    'undo-import.json',
    'warehouse-export-continued.json',
    'warehouse-export.json',
    'webhook-continue-as-new.json',
    'webhook-deleted.json',
    'webhook-enabled-again.json',
    'webhook-failing.json',
    'webhook-listed.json',
    'webhook-new-version.json',
    'webhook-sending.json',
    'webhook-stopped.json',
    'webhook-turned-off.json',
    'webhook-well.json',
    'webhook-worker-death.json',
  ]);
});

// Running workflows of an older release continue with the code of this one.
test.each(names)('the current workflow replays %s', (name) => {
  expect(errors.has(name)).toBe(true);
  expect(errors.get(name)).toBeUndefined();
});

test('replaying a history of other commands fails', async () => {
  const history = JSON.stringify(read('threat-scan-completed.json'));
  const tampered = JSON.parse(history.replaceAll('scanUrls', 'somethingElse'));
  const replayed = await replay([{ workflowId: 'tampered', history: tampered }]);
  expect(replayed.get('tampered')).toBeInstanceOf(DeterminismViolationError);
});
