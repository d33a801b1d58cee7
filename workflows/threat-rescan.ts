import {
  continueAsNew,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RescanActivities, RescanProgress } from '#activities/threats/rescan.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { rescanPolicy } from './policies.ts';

/** `scanning`: it asks, or waits for the threat scanner. */
export type ThreatRescanState = 'scanning' | 'completed';

/** The progress of a rescan. */
export interface ThreatRescanStatus extends RescanProgress {
  state: ThreatRescanState;
}

/** Reads the progress of a rescan. */
export const rescanStatusQuery = defineQuery<ThreatRescanStatus>('status');

// Each turn is about seven events of the history.
const maxHistoryLength = 1_000;
const nothing: RescanProgress = { after: null, pages: 0, answered: 0, flagged: 0, left: 0 };

/**
 * Asks again about every URL that something live leads to, but for threats that still hold (9.2), a few thousand in each
 * activity. Started by a schedule.
 * @param before how far an earlier run of the same rescan has come.
 */
export async function threatRescan(before: RescanProgress = nothing): Promise<ThreatRescanStatus> {
  let status: ThreatRescanStatus = { ...before, state: 'scanning' };
  setHandler(rescanStatusQuery, () => status, { description: 'How far the rescan has come.' });
  upsertSearchAttributes([{ key: stateKey, value: status.state }]);
  setCurrentDetails(before.after === null ? 'Begins; says every few minutes how far it has come.' : describe(before));
  const { rescanUrls } = proxyActivities<RescanActivities>({ ...rescanPolicy, summary: 'Ask again about known URLs' });
  let progress = before;
  while (status.state === 'scanning') {
    const { more, ...after } = await rescanUrls(progress);
    progress = after;
    status = { ...progress, state: more ? 'scanning' : 'completed' };
    setCurrentDetails(describe(status));
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (more && (continueAsNewSuggested || historyLength > maxHistoryLength)) {
      await continueAsNew<typeof threatRescan>(progress);
    }
  }
  upsertSearchAttributes([{ key: stateKey, value: status.state }]);
  return status;
}

/** Keys are spread evenly: the first digits of the last one tell how much is done. */
function describe({ after, answered, flagged, left }: RescanProgress): string {
  const percent = after === null ? 100 : Math.floor((Number.parseInt(after.slice(0, 4), 16) / 0x10000) * 100);
  return `${percent} % done: ${answered} answered, ${flagged} of them with threats, ${left} left to ordinary scans.`;
}
