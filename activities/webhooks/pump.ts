import { setTimeout as sleep } from 'node:timers/promises';
import { createPumpState, type PumpEffect, type PumpEvent, type PumpLimits, reducePump } from '#core/webhooks/pump.ts';
import { retryGapMs } from '#core/webhooks/retries.ts';
import type { WebhookChange } from '#core/webhooks/standing.ts';
import type { Sql } from '#db/connection/database.ts';
import type { RecordAttempts } from '#db/webhooks/record-queue.ts';
import type { EndedAttempt } from '#db/webhooks/records.ts';
import { claimDeliveries, type ClaimedDelivery, type SendingWebhook } from '#db/webhooks/sending.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import { endPumpTurn, takePumpTurn } from '#db/webhooks/pump-turn.ts';
import type { Attempt, Endpoint, Send } from './send.ts';

/** One pump: whose deliveries it sends, how, and for how long. */
export interface PumpOptions extends PumpLimits {
  sql: Sql;
  webhookId: string;
  /** The pump's name; no other pump ever has it. */
  claim: string;
  /** The number of this process (`holdPumpLock`); null: other processes take its pumps for dead. */
  processId: number | null;
  /** Whether a pump of that name runs in this process. */
  isRunning: (claim: string) => boolean;
  send: Send;
  open: (webhook: SendingWebhook) => Endpoint;
  record: RecordAttempts;
  gapsMs: readonly number[];
  /** Called with each change of the webhook that this pump has caused. */
  onNoted?: (noted: NotedChange) => void;
  /** Called once, when the pump begins to send, with the function that notifies it of more deliveries. */
  onLook?: (look: () => void) => void;
  random: () => number;
  /** Aborted: nothing new is begun. */
  draining: AbortSignal;
  /** Aborted: requests under way are stopped, too. */
  cancelled: AbortSignal;
  heartbeat: (progress: PumpProgress) => void;
}

/** A change of the webhook that a pump has caused. */
export interface NotedChange {
  change: WebhookChange;
  organizationId: string;
  failures: number;
  /** The answer to the last failed attempt of the batch: its status, or why there was none. */
  code: number | null;
  error: string | null;
}

/** Attempts of a pump: those with a 2xx, and others. */
export interface PumpProgress {
  delivered: number;
  failed: number;
}

/** An attempt that waits to be recorded; its moments are by `performance.now()`. */
type UnrecordedAttempt = Omit<EndedAttempt, 'endedAgoMs' | 'retryInMs'> & {
  endedAtMs: number;
  retryAtMs: number | null;
};

const heartbeatEveryMs = 1_000;
const turnEveryMs = 250;

/**
 * Sends the due deliveries of one webhook once it is this pump's turn. `core/webhooks/pump` decides what happens when; this
 * function claims, sends and records.
 * @throws the error of a statement that failed; the next pump sends again what was not recorded.
 */
export async function runPump(options: PumpOptions): Promise<PumpProgress> {
  const { sql, webhookId, claim } = options;
  const progress: PumpProgress = { delivered: 0, failed: 0 };
  const heartbeats = setInterval(() => options.heartbeat(progress), heartbeatEveryMs);
  try {
    const idleMs = await waitForTurn(options);
    if (idleMs !== undefined) await sendDeliveries(options, progress, idleMs);
  } finally {
    clearInterval(heartbeats);
    await endPumpTurn(sql, webhookId, claim);
  }
  return progress;
}

/**
 * Waits until no other live pump sends to the webhook.
 * @returns how long ago the pump before last read or recorded, in milliseconds; undefined where this pump is not to send at all.
 */
async function waitForTurn(options: PumpOptions): Promise<number | undefined> {
  const { sql, webhookId, claim, processId, draining, cancelled } = options;
  let endedPump: string | undefined;
  for (let isFirst = true; !draining.aborted && !cancelled.aborted; isFirst = false) {
    const turn = await takePumpTurn(sql, { webhookId, claim, processId, endedPump }, isFirst);
    if (turn.state === 'taken') return turn.idleMs;
    if (turn.state !== 'waiting') return undefined;
    // A pump of this process that ended while the database was away could not write that it has.
    if (turn.isOwnProcess && !options.isRunning(turn.pump)) {
      endedPump = turn.pump;
      continue;
    }
    // The pump at work reads the webhook's row, learns that another one waits, and ends.
    if (isFirst) await notify(sql, channels.deliveries, webhookId);
    await sleep(turnEveryMs);
  }
  return undefined;
}

/** Performs what `reducePump` decides, until the pump is over. Counts attempts in `progress`. */
async function sendDeliveries(options: PumpOptions, progress: PumpProgress, idleMs: number): Promise<void> {
  const { sql, webhookId, claim, gapsMs, draining, cancelled, random } = options;
  const ended = Promise.withResolvers<void>();
  /** Deliveries at hand, in the order in which they are sent. */
  const queue: ClaimedDelivery[] = [];
  let batch: UnrecordedAttempt[] = [];
  let endpoint: Endpoint | undefined;
  /** The webhook that `endpoint` was opened from. */
  let opened: SendingWebhook | undefined;
  let failure: Error | undefined;
  let state = createPumpState(options, performance.now(), idleMs);
  let alarm: NodeJS.Timeout | undefined;
  let alarmAtMs = Infinity;

  const drain = (): void => dispatch({ type: 'draining' });
  draining.addEventListener('abort', drain);
  cancelled.addEventListener('abort', drain);
  try {
    options.onLook?.(() => dispatch({ type: 'notified' }));
    dispatch({ type: draining.aborted || cancelled.aborted ? 'draining' : 'clock' });
    await ended.promise;
  } finally {
    clearTimeout(alarm);
    draining.removeEventListener('abort', drain);
    cancelled.removeEventListener('abort', drain);
  }
  if (failure !== undefined) throw failure;

  function dispatch(event: PumpEvent): void {
    const step = reducePump(state, event, performance.now());
    state = step.state;
    for (const effect of step.effects) perform(effect);
    setAlarm();
  }

  function perform(effect: PumpEffect): void {
    switch (effect.type) {
      case 'claim':
        return void take(effect.limit);
      case 'send':
        for (const delivery of queue.splice(0, effect.count)) attempt(endpoint!, delivery);
        return;
      case 'record':
        return void record();
      case 'end':
        return ended.resolve();
    }
  }

  function setAlarm(): void {
    const { wakeAtMs } = state;
    if (wakeAtMs === alarmAtMs) return;
    clearTimeout(alarm);
    alarmAtMs = wakeAtMs;
    if (wakeAtMs === Infinity) return;
    const wake = (): void => {
      alarmAtMs = Infinity;
      dispatch({ type: 'clock' });
    };
    // A millisecond late rather than early: timers count whole ones, and the database rounds the moments that it keeps.
    alarm = setTimeout(wake, Math.max(1, Math.ceil(wakeAtMs - performance.now()) + 1));
  }

  async function take(limit: number): Promise<void> {
    let result: (PumpEvent & { type: 'claimed' })['result'];
    try {
      const claimed = await claimDeliveries(sql, { webhookId, claim, limit });
      if (claimed === undefined) result = 'superseded';
      else {
        const { webhook, rows } = claimed;
        if (opened === undefined || !isSameEndpoint(opened, webhook)) endpoint = options.open(webhook);
        opened = webhook;
        queue.unshift(...rows.filter(({ isUrgent }) => isUrgent));
        queue.push(...rows.filter(({ isUrgent }) => !isUrgent));
        const { state: hookState, failures, probeInMs, maxPerSecond } = webhook;
        const standing = { isActive: hookState !== 'off', isOn: hookState === 'on', failures, probeInMs, maxPerSecond };
        result = { deliveries: rows.length, standing };
      }
    } catch (error) {
      failure ??= error as Error;
      result = 'failed';
    }
    dispatch({ type: 'claimed', result });
  }

  function attempt(to: Endpoint, delivery: ClaimedDelivery): void {
    options.send(to, delivery, cancelled, (made) => note(delivery, made));
  }

  function note({ id, tries }: ClaimedDelivery, made: Attempt): void {
    if (made.isGivenUp) return dispatch({ type: 'attempted', result: 'abandoned' });
    const { isDelivered, isGone, at, code, durationMs, body, error, retryAfterMs } = made;
    progress[isDelivered ? 'delivered' : 'failed'] += 1;
    const retryInMs = isDelivered ? undefined : retryGapMs(gapsMs, tries + 1, { retryAfterMs, random: random() });
    const endedAtMs = performance.now();
    const retryAtMs = retryInMs === undefined ? null : endedAtMs + retryInMs;
    batch.push({ id, isDelivered, isGone, at, code, durationMs, body, error, endedAtMs, retryAtMs });
    dispatch({ type: 'attempted', result: resultOf(made), retryInMs });
  }

  async function record(): Promise<void> {
    const nowMs = performance.now();
    // Each field by its name: copies of what objects happen to hold take several times as long (bench row W1).
    const attempts = batch.map(
      ({ id, isDelivered, isGone, at, code, durationMs, body, error, endedAtMs, retryAtMs }) => {
        const retryInMs = retryAtMs === null ? null : Math.max(0, retryAtMs - nowMs);
        return { id, isDelivered, isGone, at, code, durationMs, body, error, endedAgoMs: nowMs - endedAtMs, retryInMs };
      },
    );
    batch = [];
    let result: (PumpEvent & { type: 'recorded' })['result'];
    try {
      const recorded = await options.record({ webhookId, claim }, attempts, state.stored);
      if (recorded === undefined) result = 'superseded';
      else {
        const { organizationId, failures, changes, lastFailure } = recorded;
        const { code = null, error = null } = lastFailure ?? {};
        for (const change of changes) options.onNoted?.({ change, organizationId, failures, code, error });
        result = { standing: recorded, beginsToFail: changes.includes('failing') };
      }
    } catch (error) {
      failure ??= error as Error;
      result = 'failed';
    }
    dispatch({ type: 'recorded', result });
  }
}

/** Whether nothing changed of what an endpoint is made of: opening it decrypts secrets, and its signing keys are made anew. */
function isSameEndpoint(left: SendingWebhook, right: SendingWebhook): boolean {
  const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
    one === null || other === null ? one === other : one.equals(other);
  return (
    left.url === right.url &&
    isSame(left.secretSealed, right.secretSealed) &&
    isSame(left.previousSecretSealed, right.previousSecretSealed) &&
    isSame(left.headersSealed, right.headersSealed)
  );
}

function resultOf({ isDelivered, isGone }: Attempt): 'delivered' | 'failed' | 'gone' {
  if (isDelivered) return 'delivered';
  return isGone ? 'gone' : 'failed';
}
