import { type ActivityOptions, workflowInfo } from '@temporalio/workflow';

/**
 * Timeouts and retries, one policy for each kind of activity.
 *
 * `scan` asks a service for many URLs. One try is short, a dead worker is noticed by its missing heartbeat, and tries go
 * on for some minutes; the activity names the gaps itself, by what the service hinted, and ends before the last of these
 * limits by putting off what is left. The gaps here are for tries whose worker died.
 */
export const scanPolicy: ActivityOptions = {
  startToCloseTimeout: '45s',
  heartbeatTimeout: '5s',
  scheduleToCloseTimeout: '5m',
  retry: { initialInterval: '500ms', backoffCoefficient: 3, maximumInterval: '20s' },
};

/**
 * `rescan` asks about known URLs for a turn of some five minutes. A dead worker is noticed by its missing heartbeat, which
 * also tells where to go on. It is tried until it works; the activity names the gaps itself where the service gives no
 * answers.
 */
export const rescanPolicy: ActivityOptions = {
  startToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/**
 * `lists` asks Web Risk for the changes of one threat list, for a minute at most, and stores them. A few tries: the next run
 * comes in ten minutes, and one list must not hold up the others.
 */
export const listsPolicy: ActivityOptions = {
  startToCloseTimeout: '3m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '2s', backoffCoefficient: 4, maximumAttempts: 4 },
};

/**
 * `housekeeping` deletes what is old, for a turn of five minutes at most. A dead worker is noticed by its missing heartbeat. A
 * few tries: the next run comes in ten minutes, and a step that waits must not hold it up.
 */
export const housekeepingPolicy: ActivityOptions = {
  startToCloseTimeout: '15m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumAttempts: 5 },
};

/**
 * `sweep` removes files one by one. Each is a call to the storage, with a heartbeat; tries go on until shortly before the
 * next sweep is due.
 */
export const sweepPolicy: ActivityOptions = {
  startToCloseTimeout: '15m',
  heartbeatTimeout: '1m',
  scheduleToCloseTimeout: '50m',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '5m' },
};

/**
 * `pump` sends what is due for one webhook, for 20 s at most, then lets the requests under way end (30 s). A dead
 * worker is noticed by its missing heartbeat. It is tried until it works: nothing else would send.
 */
export const pumpPolicy: ActivityOptions = {
  startToCloseTimeout: '2m',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
};

/** `frame` asks up to ten web sites, for ten seconds each at most, one after the other. */
export const framePolicy: ActivityOptions = {
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '1m', maximumAttempts: 5 },
};

/** `report` reads one row. It is tried until the database answers: the process waits for staff anyway. */
export const reportPolicy: ActivityOptions = {
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
};

/** `mail` hands one mail to a server; an unreachable server is tried for a day. */
export const mailPolicy: ActivityOptions = {
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '1d',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '15m' },
};

/** `resetMail` is `mail` for a link that works for an hour: later the mail is of no use. */
export const resetMailPolicy: ActivityOptions = {
  ...mailPolicy,
  scheduleToCloseTimeout: '1h',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/**
 * `check` asks name servers about one domain, for seven seconds at most, and writes a row. It is tried for some minutes;
 * then the actor waits and looks again.
 */
export const checkPolicy: ActivityOptions = {
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '5m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/** `check` for a caller that waits, and checks by itself when it takes too long. */
export const askedCheckPolicy: ActivityOptions = {
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '20s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2 },
};

/**
 * `delete` removes rows in batches, for a turn of some 20 seconds; getting ready for a million links takes minutes. A dead
 * worker is noticed by its missing heartbeat. It is tried until it works: what was deleted is to go.
 */
export const deletePolicy: ActivityOptions = {
  startToCloseTimeout: '1h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
};

/**
 * `import` makes rows into links in batches, for a turn of some 20 seconds. A dead worker is noticed by its missing heartbeat.
 * It is tried until it works: a customer waits for the links.
 */
export const importPolicy: ActivityOptions = {
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
};

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
