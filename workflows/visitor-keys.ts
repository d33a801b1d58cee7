import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { VisitorKeyActivities } from '#activities/clicks/visitor-keys.ts';
import { stateKey } from '#core/lib/search-attributes.ts';
import { sweepPolicy } from './policies.ts';

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
