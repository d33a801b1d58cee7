import {
  ActivityFailure,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ThreatListActivities, ThreatListOutcome } from '#activities/threats/lists.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import { detailsOf, listsPolicy } from './policies.ts';

/** `incomplete`: lists have not been updated; the next run tries again. */
export type ThreatListsState = 'running' | 'completed' | 'incomplete';

/** How a run ended: the outcome of each list in words, and the lists that failed. */
export interface ThreatListsResult {
  state: ThreatListsState;
  lists: Partial<Record<ThreatType, string>>;
  failed: ThreatType[];
}

/**
 * Brings Web Risk's threat lists up to date, one after the other. Started by a schedule, one run at a time. A list that fails stops
 * no other.
 */
export async function threatLists(): Promise<ThreatListsResult> {
  const lists: ThreatListsResult['lists'] = {};
  const failed: ThreatType[] = [];
  upsertSearchAttributes([{ key: stateKey, value: 'running' satisfies ThreatListsState }]);
  for (const threatType of threatTypes) {
    const { updateThreatList } = proxyActivities<ThreatListActivities>({
      ...listsPolicy,
      summary: `Update the list ${threatType}`,
    });
    try {
      let outcome = await updateThreatList({ threatType });
      // At once: the list must not miss its changes any longer.
      if (outcome.state === 'reset') outcome = await updateThreatList({ threatType });
      lists[threatType] = describe(outcome);
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      failed.push(threatType);
      lists[threatType] = `failed, the next run tries again: ${error.cause?.message ?? error.message}`;
      log.warn('a threat list was not updated', { threatType });
    }
    setCurrentDetails(detailsOf(Object.entries(lists).map(([type, outcome]) => `- ${type}: ${outcome}`)));
  }
  const state: ThreatListsState = failed.length === 0 ? 'completed' : 'incomplete';
  upsertSearchAttributes([{ key: stateKey, value: state }]);
  return { state, lists, failed };
}

function describe({ state, entries, nextDiffAt }: ThreatListOutcome): string {
  if (entries === undefined || nextDiffAt === undefined) return state;
  return `${state}, ${entries} entries, changes are due at ${nextDiffAt}`;
}
