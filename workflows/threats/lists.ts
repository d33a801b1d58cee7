import { log, setCurrentDetails } from '@temporalio/workflow';
import type { ThreatListActivities, ThreatListOutcome } from '#activities/threats/lists.ts';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import type { ScheduledStart, WorkflowStart } from '#core/temporal/workflow-start.ts';
import {
  activitiesOf,
  describeStart,
  detailsOf,
  endRun,
  minuteMs,
  type Policy,
  requireActivityFailure,
  showInLists,
} from '#workflows/shared.ts';

export const threatListsSchedule: ScheduledStart = {
  id: 'threat-lists',
  workflowType: 'threatLists',
  // Web Risk recommends about half an hour between changes, and says when: a run asks only where that time has come.
  everyMs: 10 * minuteMs,
  summary: "Bring Web Risk's threat lists up to date",
};

/** The first update of threat lists, which does not wait for their schedule. @param id a new UUID. */
export function startOfThreatLists(id: string): WorkflowStart {
  const { id: prefix, workflowType: type, summary } = threatListsSchedule;
  return describeStart({
    type,
    id: `${prefix}-${id}`,
    summary,
    name: prefix,
    priority: 'background',
    state: 'running' satisfies ThreatListsState,
  });
}

/** `incomplete`: lists have not been updated; the next run tries again. */
type ThreatListsState = 'running' | 'completed' | 'incomplete';

/** How a run ended: the outcome of each list in words, and the lists that failed. */
interface ThreatListsResult {
  state: ThreatListsState;
  lists: Partial<Record<ThreatType, string>>;
  failed: ThreatType[];
}

/**
 * Asks Web Risk for the changes of one threat list, for a minute at most, and stores them. A few tries: the next run comes in ten
 * minutes, and one list must not hold up the others.
 */
const policy: Policy = {
  queue: 'bulk',
  startToCloseTimeout: '3m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '2s', backoffCoefficient: 4, maximumAttempts: 4 },
};

/**
 * Brings Web Risk's threat lists up to date, one after the other. Started by a schedule, one run at a time. A list that fails stops
 * no other.
 */
export async function threatLists(): Promise<ThreatListsResult> {
  const lists: ThreatListsResult['lists'] = {};
  const failed: ThreatType[] = [];
  showInLists({ state: 'running' satisfies ThreatListsState });
  for (const threatType of threatTypes) {
    const { updateThreatList } = activitiesOf<ThreatListActivities>(policy, `Update the list ${threatType}`);
    try {
      let outcome = await updateThreatList({ threatType });
      // At once: the list must not miss its changes any longer.
      if (outcome.state === 'reset') outcome = await updateThreatList({ threatType });
      lists[threatType] = describe(outcome);
    } catch (error) {
      lists[threatType] = `failed, the next run tries again: ${requireActivityFailure(error)}`;
      failed.push(threatType);
      log.warn('a threat list was not updated', { threatType });
    }
    setCurrentDetails(detailsOf(Object.entries(lists).map(([type, outcome]) => `- ${type}: ${outcome}`)));
  }
  const state: ThreatListsState = failed.length === 0 ? 'completed' : 'incomplete';
  const wrong = failed.length === 0 ? null : `not updated: ${failed.join(', ')}`;
  return endRun(state, wrong, { state, lists, failed });
}

function describe({ state, entries, nextDiffAt }: ThreatListOutcome): string {
  if (entries === undefined || nextDiffAt === undefined) return state;
  return `${state}, ${entries} entries, changes are due at ${nextDiffAt}`;
}
