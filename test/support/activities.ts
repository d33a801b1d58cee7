import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** What an activity sees of its worker, without one; its failures are not logged. */
export function activityEnvironment(info: Partial<Info> = {}, client?: Client): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR'), ...(client && { client }) });
}

/** Runs activities as a worker does, without one. */
export function asActivity<T>(work: () => Promise<T>): Promise<T> {
  return activityEnvironment().run(work);
}

/**
 * Runs an activity as Temporal does, without Temporal: where it fails, once more after the gap that its failure names, with the details of
 * its last heartbeat.
 * @throws a failure that is not to be tried again, and errors that are no failures.
 */
export async function runAttempts<Input, Result>(
  activity: (input: Input) => Promise<Result>,
  input: Input,
): Promise<Result> {
  const scheduledTimestampMs = Date.now();
  let heartbeatDetails: unknown;
  for (let attempt = 1; ; attempt += 1) {
    const environment = activityEnvironment({ attempt, scheduledTimestampMs, heartbeatDetails });
    environment.on('heartbeat', (details) => (heartbeatDetails = details));
    try {
      return await environment.run(activity, input);
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || error.nonRetryable) throw error;
      await sleep(msToNumber(error.nextRetryDelay ?? 0));
    }
  }
}
