import { log, patched, setCurrentDetails } from '@temporalio/workflow';
import type { ClickActivities } from '#activities/clicks/clicks.ts';
import type { VisitorKeyActivities } from '#activities/clicks/visitor-keys.ts';
import type { ExpiryActivities } from '#activities/links/expiries.ts';
import type { FileActivities } from '#activities/files/files.ts';
import type { ForgottenRows, HousekeepingActivities } from '#activities/housekeeping/housekeeping.ts';
import type { ScheduledStart } from '#core/temporal/workflow-start.ts';
import { activitiesOf, detailsOf, endRun, minuteMs, type Policy, requireActivityFailure } from './shared.ts';

export const housekeepingSchedule: ScheduledStart = {
  id: 'housekeeping',
  workflowType: 'housekeeping',
  everyMs: 10 * minuteMs,
  summary: 'Remove what is kept for a time only',
};

/** `incomplete`: steps failed, which the next run tries again. */
type HousekeepingState = 'running' | 'completed' | 'incomplete';

/** How a run ended: the result of each step in words, by the step's name, and the names of failed steps. */
interface HousekeepingResult {
  state: HousekeepingState;
  steps: Record<string, string>;
  failed: string[];
}

/**
 * A step deletes what is old, for a turn of five minutes at most. A dead worker is noticed by its missing heartbeat. A few tries: the
 * next run comes in ten minutes, and a step that waits must not hold it up.
 */
const policy: Policy = {
  queue: 'bulk',
  startToCloseTimeout: '15m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumAttempts: 5 },
};

/** In order. Runs of earlier releases lack the steps with the id of a patch. */
const rowSteps: readonly [name: string, rows: ForgottenRows, summary: string, patch?: string][] = [
  ['calls', 'calls', 'Forget calls by Idempotency-Key after 24 hours, and counts of calls'],
  ['sessions', 'sessions', 'Forget sessions, links for a new password and invitations that have ended'],
  ['sign-ins', 'signIns', 'Forget failed sign-ins after 15 minutes'],
  ['link passwords', 'passwords', 'Forget wrong passwords of links after 15 minutes'],
  ['scan budgets', 'scanDays', 'Forget how many scans past days had'],
  ['journals', 'journals', 'Forget journals that were shipped 30 days ago'],
  ['audit log', 'audit', 'Seal new lines of the audit log, and forget what was done more than a year ago'],
  ['imports', 'imports', 'Forget imports after 30 days'],
  ['events', 'events', 'Forget events, deliveries and attempts after 30 days'],
  ['scan batches', 'scanBatches', 'Forget which links a scan recorded after 30 days', 'scan-batches'],
  [
    'request log',
    'requestLog',
    'Forget calls of the API that are older than the installation keeps them',
    'request-log',
  ],
];

// A history has room for many more; the next run goes on.
const maxFileBatches = 100;

/**
 * Removes everything that is kept for a time only, and reports links that have expired. Started by
 * a schedule every ten minutes, one run at a time.
 * A step that fails stops no other; the next run tries it again.
 */
export async function housekeeping(): Promise<HousekeepingResult> {
  const steps: Record<string, string> = {};
  const failed: string[] = [];
  const show = (): void => setCurrentDetails(describe(steps));

  async function step(name: string, run: () => Promise<string>): Promise<void> {
    steps[name] = 'under way';
    show();
    try {
      steps[name] = await run();
    } catch (error) {
      steps[name] = `failed, the next run tries again: ${requireActivityFailure(error)}`;
      failed.push(name);
      log.warn('a step of housekeeping failed', { step: name });
    }
    show();
  }

  async function forgetRows(): Promise<void> {
    const present = rowSteps.filter(([, , , patch]) => patch === undefined || patched(patch));
    for (const [name, rows, summary] of present) {
      await step(name, async () => {
        const { more } = await activitiesOf<HousekeepingActivities>(policy, summary).forgetRows({ rows });
        return more ? 'the next run goes on' : 'done';
      });
    }
  }

  // Three at a time: a month of clicks that goes must hold up neither events nor keys.
  // Runs of the release before have no such steps.
  const reportsExpired = patched('expired-links');
  const redraws = patched('redrawn-previews');
  const removesBots = patched('bot-clicks');
  await Promise.all([
    forgetRows(),
    ...(reportsExpired ? [step('expired links', reportExpiredLinks)] : []),
    step('clicks', removeOldClicks).then(() => (removesBots ? step('bot clicks', removeOldBotClicks) : undefined)),
    step('visitor keys', exchangeVisitorKeys)
      .then(() => step('files', removeFiles))
      .then(() => (redraws ? step('previews', redrawPreviews) : undefined)),
  ]);
  const state: HousekeepingState = failed.length === 0 ? 'completed' : 'incomplete';
  const wrong = failed.length === 0 ? null : `steps failed: ${failed.join(', ')}`;
  return endRun(state, wrong, { state, steps, failed });
}

/** Writes the events of links whose end has passed. */
async function reportExpiredLinks(): Promise<string> {
  const report = activitiesOf<ExpiryActivities>(policy, 'Report links whose end has passed');
  const { reported, more } = await report.reportExpiredLinks();
  return more ? `${reported} reported, the next run goes on` : `${reported} reported`;
}

/** Removes clicks that are older than the installation keeps them. */
async function removeOldClicks(): Promise<string> {
  const before = await activitiesOf<ClickActivities>(policy, 'Find the first day that is kept').findFirstKeptDay();
  if (before === null) return 'all are kept';
  // Counts first: statistics must not show clicks that are about to go.
  await activitiesOf<ClickActivities>(policy, 'Forget counts of earlier days').forgetClickDays({ before });
  const months = await activitiesOf<ClickActivities>(policy, 'Drop earlier months').dropClickMonths({ before });
  const clicks = await activitiesOf<ClickActivities>(policy, 'Delete other earlier clicks').deleteOldClicks({ before });
  return `kept from ${before}; dropped ${months.length === 0 ? 'no whole month' : months.join(', ')}, and ${clicks} one by one`;
}

/** Removes visits of bots that are older than the installation keeps them. */
async function removeOldBotClicks(): Promise<string> {
  const removed = await activitiesOf<ClickActivities>(policy, 'Delete earlier visits of bots').deleteOldBotClicks();
  return `${removed} removed`;
}

/** Destroys keys of visitors' hashes of months that are over, and makes the next month's. */
async function exchangeVisitorKeys(): Promise<string> {
  // First: making keys must not hold up their destruction.
  const destroyed = await activitiesOf<VisitorKeyActivities>(
    policy,
    'Destroy keys of months that are over',
  ).destroyOldVisitorKeys();
  await activitiesOf<VisitorKeyActivities>(policy, 'Make keys of this month and the next').makeVisitorKeys();
  return destroyed.length === 0 ? 'none to destroy' : `destroyed ${destroyed.join(', ')}`;
}

/** Removes uploaded files that no link and no domain has shown for a week. */
async function removeFiles(): Promise<string> {
  const deleted = await activitiesOf<FileActivities>(policy, 'Delete files in no use').deleteUnused();
  const counts = { removed: 0, revived: 0 };
  for (let batch = 0; batch < maxFileBatches; batch += 1) {
    const { removed, revived, more } = await activitiesOf<FileActivities>(
      policy,
      'Remove deleted files',
    ).removeDeleted();
    counts.removed += removed;
    counts.revived += revived;
    if (!more) break;
  }
  return `${deleted} deleted, ${counts.removed} removed, ${counts.revived} brought back`;
}

/** Draws preview images of earlier versions as PNG or JPEG, and notes their size. */
async function redrawPreviews(): Promise<string> {
  const activity = activitiesOf<FileActivities>(policy, 'Draw preview images of earlier versions again');
  const { redrawn, broken, more } = await activity.redrawPreviews();
  return `${redrawn} drawn again, ${broken} broken${more ? ', the next run goes on' : ''}`;
}

/** A line for each step, in Markdown. */
function describe(steps: Record<string, string>): string {
  return detailsOf(Object.entries(steps).map(([name, outcome]) => `- ${name}: ${outcome}`));
}
