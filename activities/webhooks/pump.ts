import { setTimeout as sleep } from 'node:timers/promises';
import { disabledFrom, failingFrom, maxInFlight, retryGapMs } from '#core/webhooks/schedule.ts';
import type { Sql } from '#db/connection/database.ts';
import { claimDeliveries, type ClaimedDelivery, type SendingWebhook } from '#db/webhooks/deliveries.ts';
import { channels, notify } from '#db/connection/notify.ts';
import { endPumpTurn, longestLookMs, takePumpTurn } from '#db/webhooks/pumps.ts';
import { createRecorder, type NotedChange } from './recorder.ts';
import type { Endpoint, Send } from './send.ts';

/** What `runPump` is given. */
export interface PumpOptions {
  sql: Sql;
  webhookId: string;
  /** Who is sending: another name than any earlier pump's. */
  claim: string;
  /** The number of this process (`holdPumpLock`); null: others take its pumps for dead. */
  processId: number | null;
  /** Whether a pump of that name is at work in this process. */
  isRunning: (claim: string) => boolean;
  send: Send;
  open: (webhook: SendingWebhook) => Endpoint;
  gapsMs: readonly number[];
  /** Gaps before the probes of a webhook that fails, in milliseconds; the last one repeats. */
  probeDelaysMs: readonly number[];
  /** Hears of each change of the webhook that this pump has caused. */
  onNoted?: (noted: NotedChange) => void;
  /** How long further deliveries are taken up. */
  pumpForMs: number;
  /** How long it waits for more after the last attempt: each wake-up by Temporal costs more than some looks. */
  lingerMs: number;
  /** Is given what makes the pump look for more at once. */
  onLook?: (look: () => void) => void;
  /** How many are taken at once. */
  chunk: number;
  /** How often this process shows others that it is at work. */
  lookEveryMs: number;
  random: () => number;
  /** Aborted: nothing new is begun. */
  draining: AbortSignal;
  /** Aborted: requests under way are given up, too. */
  cancelled: AbortSignal;
  heartbeat: (progress: PumpProgress) => void;
}

/** What a pump has done: attempts with a 2xx, and others. */
export interface PumpProgress {
  delivered: number;
  failed: number;
}

const heartbeatEveryMs = 1_000;
// A caller that puts more there says so.
const lookAgainMs = 1_000;
// Of what is at hand nothing more is sent to a webhook that was turned off, or given another address, longer ago than this.
const staleMs = 250;

const turnEveryMs = 250;

/**
 * Sends the due deliveries of one webhook: waits for its turn, takes chunks, keeps ten requests at most under way, and records what
 * comes of them while others go out. It makes room for failures: with n of them in a row at most 10 - n requests are under way,
 * so that the tenth failure finds none; from then on everything waits behind a probe, one delivery at a time (6.5).
 * @throws the error of a statement that failed; what was not recorded is sent again by the next pump.
 */
export async function runPump(options: PumpOptions): Promise<PumpProgress> {
  const { sql, webhookId, claim, send, open, gapsMs, probeDelaysMs, chunk, draining, cancelled, random } = options;
  const progress: PumpProgress = { delivered: 0, failed: 0 };
  /** Claimed deliveries: those asked for by a call first, then the longest due. */
  const queue: ClaimedDelivery[] = [];
  const done = Promise.withResolvers<void>();
  const recorder = createRecorder({
    sql,
    webhookId,
    claim,
    probeDelaysMs,
    onChange: () => next(),
    onNoted(noted) {
      options.onNoted?.(noted);
      // The actor is to have the owner told, however soon the next probe is due.
      if (noted.change === 'failing') endAtMs = 0;
    },
  });
  const { standing } = recorder;
  let endAtMs = 0;
  let endpoint: Endpoint | undefined;
  let inFlight = 0;
  let isClaiming = false;
  let isOver = false;
  let lingerUntilMs = 0;
  let lingering: NodeJS.Timeout | undefined;
  let failure: Error | undefined;
  /** The last claim may have left something behind. */
  let mayHaveMore = true;
  /** A claim has been made since the present probe fell due: what is at hand begins with what goes first. */
  let isReadyToProbe = false;
  /** When retries of this pump's attempts fall due, by `performance.now()`. */
  let retriesAtMs: number[] = [];
  /** There is more than the last claim, or the one under way, may have found. */
  let isTold = false;
  let looks: NodeJS.Timeout | undefined;

  const beats = setInterval(() => options.heartbeat(progress), heartbeatEveryMs);
  draining.addEventListener('abort', next);
  try {
    if (await waitForTurn()) {
      endAtMs = performance.now() + options.pumpForMs;
      looks = setInterval(look, options.lookEveryMs);
      options.onLook?.(told);
      next();
      await done.promise;
      await recorder.finish();
    }
    if (failure !== undefined) throw failure;
  } finally {
    isOver = true;
    draining.removeEventListener('abort', next);
    clearTimeout(lingering);
    clearInterval(beats);
    clearInterval(looks);
    await endPumpTurn(sql, webhookId, claim);
  }
  return progress;

  /** Waits until no other pump sends to the webhook, dead ones aside. @returns whether this one is to. */
  async function waitForTurn(): Promise<boolean> {
    let endedPump: string | undefined;
    for (let isFirst = true; !draining.aborted && !cancelled.aborted; isFirst = false) {
      const turn = await takePumpTurn(sql, { webhookId, claim, processId: options.processId, endedPump }, isFirst);
      if (turn.state !== 'waiting') return turn.state === 'taken';
      // One that could not say that it has ended: the database was away.
      if (turn.isOwnProcess && !options.isRunning(turn.pump)) {
        endedPump = turn.pump;
        continue;
      }
      // Has the pump at work look, so that it learns that it is to end.
      if (isFirst) await notify(sql, channels.deliveries, webhookId);
      await sleep(turnEveryMs);
    }
    return false;
  }

  /** Begins whatever may begin now; ends the pump where nothing may and nothing is under way. */
  function next(): void {
    if (endpoint !== undefined) begin(endpoint);
    if (!isClaiming && mayBegin()) {
      const limit = lack();
      if (limit > 0 || isTold) void take(limit);
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
    while (queue.length > 0 && mayBegin() && mayBeginOne()) {
      // Where requests take their time, nothing is written down that would tell. A process that was stopped learns first
      // whether it is still the one to send.
      if (isStale()) return look();
      void attempt(to, queue.shift()!);
    }
  }

  function isStale(): boolean {
    const nowMs = performance.now();
    return nowMs - standing.toldAtMs > staleMs || nowMs - standing.askedAtMs > longestLookMs;
  }

  function look(): void {
    if (!isClaiming && !isOver) void take(0);
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
    isTold = true;
    if (!isClaiming && !isOver) lookAgain();
  }

  function lookAgain(): void {
    clearTimeout(lingering);
    lingering = undefined;
    mayHaveMore = true;
    next();
  }

  function mayBegin(): boolean {
    if (isOver || failure !== undefined || draining.aborted || cancelled.aborted) return false;
    return standing.isOn && standing.failures < disabledFrom && performance.now() < endAtMs;
  }

  function isFailing(): boolean {
    return standing.failures >= failingFrom;
  }

  function mayBeginOne(): boolean {
    if (isFailing()) return isReadyToProbe && mayProbe();
    return inFlight < maxInFlight && standing.failures + inFlight < failingFrom;
  }

  function mayProbe(): boolean {
    return inFlight === 0 && standing.probeAtMs !== null && standing.probeAtMs <= performance.now();
  }

  /** How many to take: none while half of what is worth having is still at hand. */
  function lack(): number {
    if (isFailing()) return mayProbe() && !isReadyToProbe && mayHaveMore ? 1 : 0;
    const wanted = wantedAtHand();
    return mayHaveMore && queue.length <= wanted / 2 ? wanted - queue.length : 0;
  }

  function wantedAtHand(): number {
    // Before the first look, how the webhook stands is not known: enough for a probe, or for the first requests.
    if (endpoint === undefined) return maxInFlight;
    return standing.failures === 0 ? chunk : failingFrom - standing.failures;
  }

  async function take(limit: number): Promise<void> {
    isClaiming = true;
    isTold = false;
    const moment = recorder.moment();
    try {
      const claimed = await claimDeliveries(sql, { webhookId, claim, limit });
      if (claimed === undefined) standing.isOn = false;
      else {
        recorder.learn({ ...claimed.webhook, isOn: claimed.webhook.state === 'on' }, moment);
        receive(claimed.webhook, claimed.rows, limit);
      }
    } catch (error) {
      failure = error as Error;
    }
    isClaiming = false;
    if (isTold) lookAgain();
    else next();
  }

  function receive(webhook: SendingWebhook, rows: readonly ClaimedDelivery[], limit: number): void {
    endpoint = open(webhook);
    queue.unshift(...rows.filter(({ isUrgent }) => isUrgent));
    queue.push(...rows.filter(({ isUrgent }) => !isUrgent));
    if (limit === 0) return;
    mayHaveMore = rows.length === limit;
    if (isFailing() && mayProbe()) isReadyToProbe = true;
  }

  async function attempt(to: Endpoint, delivery: ClaimedDelivery): Promise<void> {
    inFlight += 1;
    isReadyToProbe = false;
    const made = await send(to, delivery, cancelled);
    inFlight -= 1;
    lingerUntilMs = performance.now() + options.lingerMs;
    if (!made.isGivenUp) {
      progress[made.isDelivered ? 'delivered' : 'failed'] += 1;
      const { isGivenUp: _, retryAfterMs, ...outcome } = made;
      const tries = delivery.tries + 1;
      const gapMs = made.isDelivered ? undefined : retryGapMs(gapsMs, tries, { retryAfterMs, random: random() });
      if (gapMs !== undefined) retriesAtMs.push(performance.now() + gapMs);
      recorder.add({ ...outcome, id: delivery.id, gapMs, endedAtMs: performance.now() });
    }
    next();
  }
}
