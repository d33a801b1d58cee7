import { defineQuery, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { RescanActivities, RescanProgress } from '#activities/threats/rescan.ts';
import type { ScheduledStart } from '#core/temporal/workflow-start.ts';
import { activitiesOf, goOn, minuteMs, showInLists, turnPolicy } from '#workflows/shared.ts';

export const threatRescanSchedule = (perDay: number): ScheduledStart => ({
  id: threatRescanScheduleId,
  workflowType: 'threatRescan',
  everyMs: (24 * 60 * minuteMs) / perDay,
  summary: 'Ask again about every address that links and domains lead to',
});
export const threatRescanScheduleId = 'threat-rescan';

/** `scanning`: it asks, or waits for the threat scanner. */
type ThreatRescanStatus = RescanProgress & { state: 'scanning' | 'completed' };

const rescanStatusQuery = defineQuery<ThreatRescanStatus>('status');

/**
 * Asks about known URLs for a turn of some five minutes. The heartbeat tells where to go on after a dead worker; the activity names the
 * gaps itself where the service gives no answers.
 */
const policy = turnPolicy('30m');

// Each turn is about seven events of the history.
const maxHistoryLength = 1_000;
const nothing: RescanProgress = { after: null, pages: 0, answered: 0, flagged: 0, left: 0 };

/**
 * Asks again about every URL that something live leads to, but for threats that still hold, a few thousand in each
 * activity. Started by a schedule.
 * @param before how far an earlier run of the same rescan has come.
 */
export async function threatRescan(before: RescanProgress = nothing): Promise<ThreatRescanStatus> {
  let status: ThreatRescanStatus = { ...before, state: 'scanning' };
  setHandler(rescanStatusQuery, () => status, { description: 'How far the rescan has come.' });
  showInLists({ state: status.state });
  setCurrentDetails(before.after === null ? 'Begins; says every few minutes how far it has come.' : describe(before));
  const { rescanUrls } = activitiesOf<RescanActivities>(policy, 'Ask again about known URLs');
  for (let progress = before; status.state === 'scanning';) {
    const { more, ...after } = await rescanUrls(progress);
    progress = after;
    status = { ...progress, state: more ? 'scanning' : 'completed' };
    setCurrentDetails(describe(status));
    if (more) await goOn<typeof threatRescan>(maxHistoryLength, progress);
  }
  showInLists({ state: status.state });
  return status;
}

/** Keys are spread evenly: the first digits of the last one tell how much is done. */
function describe({ after, answered, flagged, left }: RescanProgress): string {
  const percent = after === null ? 100 : Math.floor((Number.parseInt(after.slice(0, 4), 16) / 0x10000) * 100);
  return `${percent} % done: ${answered} answered, ${flagged} of them with threats, ${left} left to ordinary scans.`;
}
