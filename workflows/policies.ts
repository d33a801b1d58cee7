import type { ActivityOptions } from '@temporalio/workflow';

/**
 * Timeouts and retries, one policy for each kind of activity.
 *
 * `scan` asks a service for many URLs. One try is short, a dead worker is noticed by its missing heartbeat, and tries go
 * on for some minutes; the activity names the gaps itself, by what the service hinted, and ends before the last of these
 * limits by putting off what is left. The gaps here are for tries that end without a word.
 */
export const scanPolicy: ActivityOptions = {
  startToCloseTimeout: '45s',
  heartbeatTimeout: '5s',
  scheduleToCloseTimeout: '5m',
  retry: { initialInterval: '500ms', backoffCoefficient: 3, maximumInterval: '20s' },
};

/**
 * `sweep` removes files one by one. Each is a call to the storage, told by a heartbeat; tries go on until shortly before the
 * next sweep is due, which then begins anew.
 */
export const sweepPolicy: ActivityOptions = {
  startToCloseTimeout: '15m',
  heartbeatTimeout: '1m',
  scheduleToCloseTimeout: '50m',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '5m' },
};
