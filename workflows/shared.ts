import type { SearchAttributePair } from '@temporalio/common';
import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  continueAsNew,
  isCancellation,
  makeContinueAsNewFunc,
  patched,
  proxyActivities,
  upsertSearchAttributes,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import { priorities } from '#core/temporal/priorities.ts';
import {
  clip,
  displayNameKey,
  lastErrorKey,
  nextAtKey,
  nextStepKey,
  organizationIdKey,
  stateKey,
} from '#core/temporal/search-attributes.ts';
import { type SideQueue, taskQueueOf } from '#core/temporal/task-queues.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';

/** How a kind of workflow is started, but for what all kinds have in common. */
interface StartDraft {
  type: string;
  id: string;
  input?: object;
  /** Sent with the start, also to a workflow that runs already. */
  signal?: string;
  /** For operators, at most 400 bytes. */
  summary: string;
  /** Whom it works for. The first one is its key of fairness: organizations take turns. */
  organizationIds?: readonly string[];
  priority?: keyof typeof priorities;
  /** What it is about, in words. */
  name?: string;
  state: string;
  nextStep?: string;
  attributes?: readonly SearchAttributePair[];
  options?: Pick<WorkflowStart['options'], 'startDelay' | 'requestEagerStart'>;
}

/** Describes a start. It may be repeated: a workflow of this id that runs already just goes on. */
export function describeStart(draft: StartDraft): WorkflowStart {
  const { type, id, input, signal, summary, organizationIds = [], priority = 'usual', name = '', state } = draft;
  const [fairnessKey] = organizationIds;
  return {
    type,
    ...(signal === undefined ? {} : { signal }),
    options: {
      workflowId: id,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: input === undefined ? [] : [input],
      staticSummary: summary,
      priority: { priorityKey: priorities[priority], ...(fairnessKey === undefined ? {} : { fairnessKey }) },
      typedSearchAttributes: [
        ...(organizationIds.length === 0 ? [] : [{ key: organizationIdKey, value: [...organizationIds] }]),
        ...(name === '' ? [] : [{ key: displayNameKey, value: name }]),
        ...(draft.attributes ?? []),
        { key: stateKey, value: state },
        ...(draft.nextStep === undefined ? [] : [{ key: nextStepKey, value: draft.nextStep }]),
      ],
      ...draft.options,
    },
  };
}

/** Timeouts and retries of a kind of activity, and the task queue of its kind of work; without, the installation's own. */
export type Policy = Omit<ActivityOptions, 'summary' | 'taskQueue'> & { queue?: SideQueue };

/** Activities under a policy. @param summary what they do, for operators. */
export function activitiesOf<Activities>({ queue, ...options }: Policy, summary: string) {
  const taskQueue = taskQueueOf(workflowInfo().taskQueue, queue ?? 'workflows');
  return proxyActivities<Activities>({ ...options, taskQueue, summary });
}

/**
 * Activities that work for a turn, and go on in the next. A dead worker is noticed by its missing heartbeat. They are tried until
 * they work.
 */
export const turnPolicy = (startToCloseTimeout: Policy['startToCloseTimeout']): Policy => ({
  queue: 'bulk',
  startToCloseTimeout,
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Hands one mail to a server; an unreachable server is tried for a day. */
export const mailPolicy: Policy = {
  queue: 'mail',
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '1d',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '15m' },
};

/** `lastError` of workflows whose mail was taken in none of the attempts. */
export const noMailServer = 'the mail server took no mail';

/** What lists of workflows show of one; what is left out is shown no more. */
export interface ListedRow {
  state: string;
  /** Sent again, since runs that 0.1.0 began lack it, and a webhook may get another address. */
  displayName?: string;
  lastError?: string | null | undefined;
  nextStep?: string | null | undefined;
  /** ISO 8601. */
  nextAt?: string | null | undefined;
}

/** Shows a row in lists of workflows. Each call is an event of the history. */
export function showInLists(row: ListedRow): void {
  upsertSearchAttributes(attributesOf(row));
}

/** Shows rows in lists of workflows when they have changed. @param shownState the state that an earlier run has shown last. */
export function createListing(shownState?: string): (row: ListedRow) => void {
  let shown = shownState;
  // Runs of 0.1.0 have an event for each change of the state alone.
  const hasRows = patched('list-rows');
  return (row) => {
    const isChanged = hasRows ? isNew(row) : row.state !== shown;
    shown = row.state;
    if (isChanged) showInLists(row);
  };
}

function isNew(row: ListedRow): boolean {
  const { typedSearchAttributes: now } = workflowInfo();
  return attributesOf(row).some(({ key, value }) => String(now.get(key) ?? null) !== String(value));
}

function attributesOf({ state, displayName = '', lastError, nextStep, nextAt }: ListedRow) {
  return [
    ...(displayName === '' ? [] : [{ key: displayNameKey, value: displayName }]),
    { key: stateKey, value: state },
    { key: lastErrorKey, value: lastError ? clip(lastError) : null },
    { key: nextStepKey, value: nextStep ?? null },
    { key: nextAtKey, value: nextAt ? new Date(nextAt) : null },
  ];
}

/** The reason of an activity that has failed for good. @throws any other error, a cancellation too. */
export function requireActivityFailure(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return error.cause?.message ?? error.message;
}

/** Shows how a run ended. @param wrong what has failed for good; null: nothing. @throws ApplicationFailure, see `failRun`. */
export function endRun<Result extends object>(state: string, wrong: string | null, result: Result): Result {
  showInLists({ state, lastError: wrong });
  if (wrong !== null) failRun(wrong, result);
  return result;
}

/** Ends a run whose work has failed for good, so that it is listed as failed; runs of 0.1.0 go on and complete. @throws ApplicationFailure. */
export function failRun(message: string, result: object): void {
  if (patched('failed-runs')) throw ApplicationFailure.create({ message, nonRetryable: true, details: [result] });
}

/**
 * Joins the lines of a workflow's current details, Markdown for operators. An empty paragraph ends them: the Temporal UI cuts off
 * the last line that it shows.
 */
export function detailsOf(lines: readonly string[]): string {
  return [...lines, '', '\u00a0'].join('\n');
}

/** Whether a workflow should continue as new: its history has more than `maxLength` events, or the server suggests it. */
export function isHistoryLong(maxLength: number): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return historyLength > maxLength || continueAsNewSuggested;
}

/** Whether this run is pinned to another version of the workers than the one that would get it now; never where they have no versions. */
export function isVersionOld(): boolean {
  return workflowInfo().targetWorkerDeploymentVersionChanged;
}

/** Continues as new in the version of the workers that would get it now: entities do, all others end in the version that began them. */
export function moveOn<Entity extends Workflow>(...args: Parameters<Entity>): Promise<never> {
  return makeContinueAsNewFunc<Entity>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(...args);
}

/** Continues as new, with these arguments, where the history has more than `maxLength` events. */
export async function goOn<Itself extends Workflow>(maxLength: number, ...args: Parameters<Itself>): Promise<void> {
  if (isHistoryLong(maxLength)) await continueAsNew<Itself>(...args);
}

export const minuteMs = 60_000;
