import { disabledFrom, failingFrom, maxInFlight, retryGapMs } from '../../core/webhook-schedule.ts';
import type { Sql } from '../../db/database.ts';
import {
  claimDeliveries,
  type ClaimedDelivery,
  giveBackDeliveries,
  reclaimDeliveries,
  type SendingWebhook,
} from '../../db/deliveries.ts';
import { createRecorder } from './recorder.ts';
import type { Endpoint, Send } from './send.ts';

/** What `runPump` is given. */
export interface PumpOptions {
  sql: Sql;
  webhookId: string;
  /** Who is sending: another name than any earlier pump's. */
  claim: string;
  send: Send;
  open: (webhook: SendingWebhook) => Endpoint;
  gapsMs: readonly number[];
  /** How long further deliveries are taken up. */
  pumpForMs: number;
  /** How long it waits for more after the last attempt: each wake-up by Temporal costs more than some looks. */
  lingerMs: number;
  /** Is given what makes the pump look for more at once. */
  onLook?: (look: () => void) => void;
  /** How many are taken at once. */
  chunk: number;
  /** How often others are told that somebody is at it. */
  lookEveryMs: number;
  random: () => number;
  /** Aborted: nothing new is begun. */
  draining: AbortSignal;
  /** Aborted: requests under way are given up. */
  cancelled: AbortSignal;
  heartbeat: (progress: PumpProgress) => void;
}

/** What a pump has done: attempts with a 2xx, and others. */
export interface PumpProgress {
  delivered: number;
  failed: number;
}

const heartbeatEveryMs = 1_000;
// Whoever puts more there says so.
const lookAgainMs = 1_000;
// Of what is at hand nothing more is sent to a webhook that was turned off, or given another address, longer ago than this.
const staleMs = 250;

/**
 * Sends what is due to one webhook: takes chunks, keeps ten requests at most under way, and records what comes of them while
 * others go out. First attempts make room for failures: with n of them in a row at most 10 - n go out at once, so that
 * the tenth failure finds none under way; from then on one goes out at a time, as a probe (6.5).
 * @throws the error of a statement that failed; what was not recorded is sent again by the next pump.
 */
export async function runPump(options: PumpOptions): Promise<PumpProgress> {
  const { sql, webhookId, claim, send, open, gapsMs, chunk, draining, cancelled, random } = options;
  const progress: PumpProgress = { delivered: 0, failed: 0 };
  const again: ClaimedDelivery[] = [];
  const first: ClaimedDelivery[] = [];
  const done = Promise.withResolvers<void>();
  const recorder = createRecorder({ sql, webhookId, claim, gapsMs, onChange: () => next() });
  const { standing } = recorder;
  const endAtMs = performance.now() + options.pumpForMs;
  let endpoint: Endpoint | undefined;
  let inFlight = 0;
  let isClaiming = false;
  let isProbing = false;
  let isOver = false;
  let lingerUntilMs = 0;
  let lingering: NodeJS.Timeout | undefined;
  let failure: Error | undefined;
  // What the last claim left behind, as far as it can be told.
  const mayHaveMore = { again: true, first: true };
  /** When retries of this pump's attempts fall due, by `performance.now()`. */
  let retriesAtMs: number[] = [];
  /** There is more than a claim under way may find. */
  let isTold = false;

  await reclaimDeliveries(sql, webhookId, claim);
  const beats = setInterval(() => options.heartbeat(progress), heartbeatEveryMs);
  const looks = setInterval(look, options.lookEveryMs);
  draining.addEventListener('abort', next);
  try {
    options.onLook?.(told);
    next();
    await done.promise;
    await recorder.finish();
    if (failure !== undefined) throw failure;
  } finally {
    isOver = true;
    draining.removeEventListener('abort', next);
    clearTimeout(lingering);
    clearInterval(beats);
    clearInterval(looks);
    await giveBackDeliveries(sql, webhookId, claim);
  }
  return progress;

  /** Begins whatever may begin now; ends the pump where nothing may and nothing is under way. */
  function next(): void {
    if (endpoint !== undefined) begin(endpoint);
    if (!isClaiming && mayBegin()) {
      const limits = { again: lack(again, mayHaveMore.again, chunk), first: lack(first, mayHaveMore.first, room()) };
      if (limits.again + limits.first > 0) void take(limits);
    }
    if (isClaiming || inFlight > 0) return;
    if (mayBegin() && performance.now() < lingerUntilMs) {
      lingering ??= setTimeout(lookAgain, untilLookMs());
      return;
    }
    isOver = true;
    done.resolve();
  }

  function begin(to: Endpoint): void {
    while (mayBegin() && inFlight < maxInFlight) {
      // Where requests take their time, nothing is written down that would tell.
      if (performance.now() - standing.toldAtMs > staleMs && again.length + first.length > 0) return look();
      const delivery = again.shift() ?? nextFirst();
      if (delivery === undefined) return;
      void attempt(to, delivery);
    }
  }

  function look(): void {
    if (!isClaiming && !isOver) void take({ again: 0, first: 0 });
  }

  function untilLookMs(): number {
    const nowMs = performance.now();
    retriesAtMs = retriesAtMs.filter((atMs) => atMs > nowMs);
    const { probeAtMs } = standing;
    const probeInMs = probeAtMs !== null && probeAtMs > nowMs ? probeAtMs - nowMs : Infinity;
    const retryInMs = retriesAtMs.reduce((least, atMs) => Math.min(least, atMs - nowMs), Infinity);
    return Math.ceil(Math.min(lookAgainMs, lingerUntilMs - nowMs, probeInMs, retryInMs)) + 1;
  }

  function told(): void {
    isTold = isClaiming;
    if (!isClaiming && !isOver) lookAgain();
  }

  function lookAgain(): void {
    clearTimeout(lingering);
    lingering = undefined;
    mayHaveMore.again = true;
    mayHaveMore.first = true;
    next();
  }

  function mayBegin(): boolean {
    if (isOver || failure !== undefined || draining.aborted || cancelled.aborted) return false;
    return standing.isOn && standing.failures < disabledFrom && performance.now() < endAtMs;
  }

  function nextFirst(): ClaimedDelivery | undefined {
    if (standing.failures >= failingFrom ? !mayProbe() : standing.failures + inFlight >= failingFrom) return undefined;
    return first.shift();
  }

  function mayProbe(): boolean {
    return !isProbing && standing.probeAtMs !== null && standing.probeAtMs <= performance.now();
  }

  /** How many first attempts are worth having at hand. */
  function room(): number {
    // Before the first look, how the webhook stands is not known.
    if (endpoint === undefined) return maxInFlight;
    if (standing.failures === 0) return chunk;
    if (standing.failures >= failingFrom) return mayProbe() ? 1 : 0;
    return failingFrom - standing.failures;
  }

  /** How many to take: none while half of them are still at hand. */
  function lack(queue: readonly unknown[], mayHave: boolean, wanted: number): number {
    return mayHave && queue.length <= wanted / 2 ? wanted - queue.length : 0;
  }

  async function take(limits: { again: number; first: number }): Promise<void> {
    isClaiming = true;
    const moment = recorder.moment();
    try {
      const claimed = await claimDeliveries(sql, { webhookId, claim, ...limits });
      if (claimed === undefined) standing.isOn = false;
      else {
        recorder.learn({ ...claimed.webhook, isOn: claimed.webhook.state === 'on' }, moment);
        receive(claimed.webhook, claimed.rows, limits);
      }
    } catch (error) {
      failure = error as Error;
    }
    isClaiming = false;
    if (isTold) told();
    else next();
  }

  function receive(
    webhook: SendingWebhook,
    rows: readonly ClaimedDelivery[],
    limits: { again: number; first: number },
  ): void {
    endpoint = open(webhook);
    for (const row of rows) (row.isFirst ? first : again).push(row);
    const firsts = rows.filter(({ isFirst }) => isFirst).length;
    if (limits.again > 0) mayHaveMore.again = rows.length - firsts === limits.again;
    if (limits.first > 0) mayHaveMore.first = firsts === limits.first;
  }

  async function attempt(to: Endpoint, delivery: ClaimedDelivery): Promise<void> {
    const isProbe = delivery.isFirst && standing.failures >= failingFrom;
    inFlight += 1;
    isProbing ||= isProbe;
    const made = await send(to, delivery, cancelled);
    inFlight -= 1;
    lingerUntilMs = performance.now() + options.lingerMs;
    if (isProbe) {
      isProbing = false;
      // Until the database tells when the next one may go out.
      standing.probeAtMs = null;
    }
    if (!made.isGivenUp) {
      progress[made.isDelivered ? 'delivered' : 'failed'] += 1;
      const { isGivenUp: _, retryAfterMs, ...outcome } = made;
      const tries = delivery.tries + 1;
      const gapMs = made.isDelivered ? undefined : retryGapMs(gapsMs, tries, { retryAfterMs, random: random() });
      if (gapMs !== undefined) retriesAtMs.push(performance.now() + gapMs);
      recorder.add({ ...outcome, id: delivery.id, gapMs, endedAtMs: performance.now(), isProbe });
    }
    next();
  }
}
