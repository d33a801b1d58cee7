import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { ClickActivities } from '#activities/clicks/clicks.ts';
import { stateKey } from '#core/lib/search-attributes.ts';
import { sweepPolicy } from './policies.ts';

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
    // Counts first: statistics are not to tell of clicks that are about to go.
    await activities('Forget counts of earlier days').forgetClickDays({ before });
    result.months = await activities('Drop earlier months').dropClickMonths({ before });
    result.clicks = await activities('Delete other earlier clicks').deleteOldClicks({ before });
    const months = result.months.length === 0 ? 'no whole month' : result.months.join(', ');
    setCurrentDetails(`Kept from ${before}. Dropped ${months}, and ${result.clicks} clicks one by one.`);
  }
  upsertSearchAttributes([{ key: stateKey, value: 'completed' }]);
  return result;
}
