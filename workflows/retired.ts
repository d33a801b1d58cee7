import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { ClickActivities } from '#activities/clicks/clicks.ts';
import type { VisitorKeyActivities } from '#activities/clicks/visitor-keys.ts';
import type { FileActivities } from '#activities/files/files.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { sweepPolicy } from './policies.ts';

/**
 * Workflows that an earlier version's schedules started and `housekeeping` replaced. They stay for runs in progress; nothing
 * starts them any more.
 */

/** What a run removed. `before`: the first day (UTC) whose clicks are kept; null: all are. */
export interface ClickRetentionResult {
  before: string | null;
  /** Months that went whole, `YYYY-MM`. */
  months: string[];
  /** Clicks that were removed one by one. */
  clicks: number;
}

/** Removes clicks that are older than the installation keeps them (5.7). Started by a schedule. */
export async function clickRetention(): Promise<ClickRetentionResult> {
  const activities = (summary: string) => proxyActivities<ClickActivities>({ ...sweepPolicy, summary });
  const before = await activities('Find the first day that is kept').findFirstKeptDay();
  const result: ClickRetentionResult = { before, months: [], clicks: 0 };
  if (before !== null) {
    // Counts first: statistics must not show clicks that are about to go.
    await activities('Forget counts of earlier days').forgetClickDays({ before });
    result.months = await activities('Drop earlier months').dropClickMonths({ before });
    result.clicks = await activities('Delete other earlier clicks').deleteOldClicks({ before });
    const months = result.months.length === 0 ? 'no whole month' : result.months.join(', ');
    setCurrentDetails(`Kept from ${before}. Dropped ${months}, and ${result.clicks} clicks one by one.`);
  }
  upsertSearchAttributes([{ key: stateKey, value: 'completed' }]);
  return result;
}

/** What a run destroyed: months, `YYYY-MM`. */
export interface VisitorKeysResult {
  destroyed: string[];
}

/** Makes the next month's key of visitors' hashes and destroys those of months that are over (5.2). Started by a schedule. */
export async function visitorKeys(): Promise<VisitorKeysResult> {
  const activities = (summary: string) => proxyActivities<VisitorKeyActivities>({ ...sweepPolicy, summary });
  // Destroyed first: that must not wait for anything.
  const destroyed = await activities('Destroy keys of months that are over').destroyOldVisitorKeys();
  await activities('Make keys of this month and the next').makeVisitorKeys();
  setCurrentDetails(destroyed.length === 0 ? 'Nothing to destroy.' : `Destroyed the key of ${destroyed.join(', ')}.`);
  upsertSearchAttributes([{ key: stateKey, value: 'completed' }]);
  return { destroyed };
}

/** What a sweep did: files deleted for want of use, objects removed, files brought back. */
export interface FileSweepResult {
  deleted: number;
  removed: number;
  revived: number;
}

// A history has room for many more; the next sweep goes on.
const maxBatches = 100;

/** Removes uploaded files that nothing has shown for a week (8.2). Started by a schedule. */
export async function fileSweep(): Promise<FileSweepResult> {
  const { deleteUnused } = proxyActivities<FileActivities>({ ...sweepPolicy, summary: 'Delete files in no use' });
  const { removeDeleted } = proxyActivities<FileActivities>({ ...sweepPolicy, summary: 'Remove deleted files' });
  const result = { deleted: await deleteUnused(), removed: 0, revived: 0 };
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const { removed, revived, more } = await removeDeleted();
    result.removed += removed;
    result.revived += revived;
    setCurrentDetails(`${result.deleted} deleted, ${result.removed} removed, ${result.revived} brought back.`);
    if (!more) break;
  }
  upsertSearchAttributes([{ key: stateKey, value: 'completed' }]);
  return result;
}
