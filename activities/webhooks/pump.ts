import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pace } from '#core/webhooks/pace.ts';
import { retryGapMs } from '#core/webhooks/retries.ts';
import { failingFrom, mostOpen, type StoredStanding, type WebhookChange } from '#core/webhooks/standing.ts';
import type { Sql } from '#db/connection/database.ts';
import { endPumpLease, type PumpLease, pumpLeaseMs, takePumpLease } from '#db/webhooks/deliveries/pump-lease.ts';
import { type EndedAttempt, recordAttempts } from '#db/webhooks/deliveries/records.ts';
import { claimDeliveries, type ClaimedDelivery, type SendingWebhook } from '#db/webhooks/deliveries/sending.ts';
import type { Endpoint, Send } from './send.ts';

/** One pump: whose deliveries it sends, how, and for how long. */
export interface PumpOptions extends PumpLease {
  sql: Sql;
  send: Send;
  open: (webhook: SendingWebhook) => Endpoint;
  /** Gaps after failed tries, in milliseconds. */
  gapsMs: readonly number[];
  /** Gaps before the probes of a webhook that fails, in milliseconds. */
  probeDelaysMs: readonly number[];
  /** How long the pump claims and sends further deliveries, in milliseconds. */
  pumpForMs: number;
  /** Reads the most requests that the pump may have open beside other pumps of its organization. */
  readShare: () => number;
  /** How long it waits for more deliveries after its last attempt, in milliseconds. */
  lingerMs: number;
  /** Emits the id of a webhook that may have more deliveries. */
  notifications: EventEmitter;
  /** Called with each change of the webhook that this pump has caused. */
  onNoted?: (noted: NotedChange) => void;
  random: () => number;
  /** Aborted: nothing new is begun. */
  draining: AbortSignal;
  /** Aborted: requests under way are stopped, too. */
  cancelled: AbortSignal;
  /** Counts its attempts. */
  progress: PumpProgress;
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
  gapMs: number | undefined;
};

const askForLeaseEveryMs = 250;
/** How often a pump records what has ended. */
const roundMs = 200;
/** How long a pump sends on what it last read of its webhook: a webhook that was turned off gets nothing a moment later. */
const freshMs = 250;
/** A read that took longer ends the pump: its process was stopped meanwhile, and another pump may have the webhook. */
const longestReadMs = 5_000;
/** How often an idle pump claims although nothing notified it. */
const claimAgainMs = 1_000;
/** Claimed deliveries that wait in memory. */
const chunk = 200;

/**
 * Sends the due deliveries of one webhook for some twenty seconds, once no earlier pump does.
 * @throws the error of a statement that failed; the next pump sends again what was not recorded.
 */
export async function runPump(options: PumpOptions): Promise<void> {
  const { draining, cancelled, pumpForMs } = options;
  const stopping = AbortSignal.any([draining, cancelled, AbortSignal.timeout(pumpForMs)]);
  try {
    const idleMs = await waitForLease(options, stopping);
    if (idleMs !== undefined) await new Pump(options, idleMs).run(stopping);
  } finally {
    await endLease(options);
  }
}

/** @returns since when no pump has read the webhook, in milliseconds; undefined where this pump is not to send at all. */
async function waitForLease(options: PumpOptions, stopping: AbortSignal): Promise<number | undefined> {
  while (!stopping.aborted) {
    const lease = await takePumpLease(options.sql, options);
    if (lease !== 'held') return lease?.idleMs;
    await sleep(askForLeaseEveryMs);
  }
  return undefined;
}

/** Ends the lease; while the database is unreachable, it tries until the lease has ended by itself, so that the next pump need not wait for it. */
async function endLease({ sql, webhookId, pumpId }: PumpOptions): Promise<void> {
  const overAtMs = performance.now() + pumpLeaseMs;
  for (;;) {
    try {
      return await endPumpLease(sql, { webhookId, pumpId });
    } catch (error) {
      if (performance.now() > overAtMs) throw error;
      await sleep(claimAgainMs);
    }
  }
}

/**
 * A pump that holds the lease. Each round records the attempts that have ended and claims the deliveries that are due. Between
 * rounds, each request that ends lets another one begin.
 */
class Pump {
  readonly #options: PumpOptions;
  readonly #pace: Pace;
  readonly #atHand: ClaimedDelivery[] = [];
  readonly #open = new Set<Promise<void>>();
  #ended: UnrecordedAttempt[] = [];
  /** What the database holds of the webhook, and its failures in a row together with attempts that are not recorded. */
  #stored: StoredStanding = { isActive: true, failures: 0 };
  #failures = 0;
  #webhook: (Endpoint & Pick<SendingWebhook, 'maxPerSecond'>) | undefined;
  #readAtMs = -Infinity;
  /** There may be due deliveries that no pump has claimed. */
  #mayHaveMore = true;
  #lastEndedAtMs = -Infinity;
  /** Nothing new may begin. Never becomes false again. */
  #isStopping = false;
  #nextRound = Promise.withResolvers<void>();

  constructor(options: PumpOptions, idleMs: number) {
    this.#options = options;
    // The pump before may have begun requests until `freshMs` after it last read the webhook: they count for a second.
    this.#pace = new Pace(performance.now() + Math.max(0, 1_000 + freshMs - idleMs));
  }

  async run(stopping: AbortSignal): Promise<void> {
    const { webhookId, notifications } = this.#options;
    const stop = (): void => this.#stop();
    const look = (): void => {
      this.#mayHaveMore = true;
      this.#nextRound.resolve();
    };
    notifications.on(webhookId, look);
    stopping.addEventListener('abort', stop);
    if (stopping.aborted) stop();
    try {
      while (!this.#isOver()) {
        this.#nextRound = Promise.withResolvers();
        await this.#record();
        await this.#claim();
        this.#sendAtHand();
        const timer = setTimeout(this.#nextRound.resolve, this.#nextRoundInMs());
        await this.#nextRound.promise;
        clearTimeout(timer);
      }
    } finally {
      // After an error, requests are open.
      stop();
      await Promise.all(this.#open);
      await this.#record();
      notifications.off(webhookId, look);
      stopping.removeEventListener('abort', stop);
    }
  }

  async #claim(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#readAtMs >= claimAgainMs) this.#mayHaveMore = true;
    const wantsMore = this.#mayHaveMore && this.#isLow();
    const wantsLook = this.#atHand.length > 0 && this.#hasRoom() && !this.#isFresh();
    if (this.#isStopping || !(wantsMore || wantsLook)) return;
    // A notification that comes during the statement makes it true again.
    this.#mayHaveMore = false;
    const limit = chunk - this.#atHand.length;
    const { sql, webhookId, pumpId, open } = this.#options;
    const claimed = await claimDeliveries(sql, { webhookId, pumpId, limit });
    this.#readAtMs = performance.now();
    if (claimed === undefined || this.#readAtMs - nowMs > longestReadMs) return this.#stop();
    const { webhook, rows } = claimed;
    this.#atHand.unshift(...rows.filter(({ isUrgent }) => isUrgent));
    this.#atHand.push(...rows.filter(({ isUrgent }) => !isUrgent));
    if (rows.length === limit) this.#mayHaveMore = true;
    this.#adopt({ isActive: webhook.state !== 'off', failures: webhook.failures });
    this.#webhook = { ...open(webhook), maxPerSecond: webhook.maxPerSecond };
    const isWaitingForProbe = webhook.failures >= failingFrom && this.#atHand.length === 0;
    if (webhook.state !== 'on' || isWaitingForProbe || this.#isStopping) this.#stop();
  }

  async #record(): Promise<void> {
    if (this.#ended.length === 0) return;
    const nowMs = performance.now();
    const attempts = this.#ended.map(({ endedAtMs, gapMs, ...attempt }) => {
      const endedAgoMs = nowMs - endedAtMs;
      return { ...attempt, endedAgoMs, retryInMs: gapMs === undefined ? null : Math.max(0, gapMs - endedAgoMs) };
    });
    this.#ended = [];
    const { sql, onNoted } = this.#options;
    const recorded = await recordAttempts(sql, this.#options, attempts, this.#stored);
    if (recorded === undefined) return this.#stop();
    const { organizationId, failures, changes, lastFailure } = recorded;
    const { code = null, error = null } = lastFailure ?? {};
    for (const change of changes) onNoted?.({ change, organizationId, failures, code, error });
    this.#adopt(recorded);
    if (changes.includes('recovered')) this.#mayHaveMore = true;
  }

  #adopt({ isActive, failures }: StoredStanding): void {
    this.#stored = { isActive, failures };
    this.#failures = this.#ended.reduce((count, { isDelivered }) => (isDelivered ? 0 : count + 1), failures);
  }

  #sendAtHand(): void {
    while (this.#atHand.length > 0 && this.#hasRoom() && this.#isFresh()) {
      const nowMs = performance.now();
      if (this.#pace.nextStartMs(this.#webhook!.maxPerSecond) > nowMs) return;
      this.#pace.start(nowMs);
      const attempt = this.#attempt(this.#webhook!, this.#atHand.shift()!).finally(() => {
        this.#open.delete(attempt);
        this.#onEnded();
      });
      this.#open.add(attempt);
    }
  }

  async #attempt(to: Endpoint, delivery: ClaimedDelivery): Promise<void> {
    const { send, gapsMs, cancelled, random, progress } = this.#options;
    const { isGivenUp, retryAfterMs, ...made } = await send(to, delivery, cancelled);
    if (isGivenUp) return;
    const { isDelivered, isGone } = made;
    progress[isDelivered ? 'delivered' : 'failed'] += 1;
    this.#failures = isDelivered ? 0 : this.#failures + 1;
    const gapMs = isDelivered ? undefined : retryGapMs(gapsMs, delivery.tries + 1, { retryAfterMs, random: random() });
    this.#ended.push({ id: delivery.id, ...made, endedAtMs: performance.now(), gapMs });
    // The workflow waits for the next probe, and has the owner notified that the webhook fails or is off.
    if (isGone || this.#failures >= failingFrom) this.#stop();
  }

  #onEnded(): void {
    this.#lastEndedAtMs = performance.now();
    this.#sendAtHand();
    const isLast = this.#isStopping && this.#open.size === 0;
    const isStale = this.#atHand.length > 0 && !this.#isFresh();
    if (isLast || isStale || (this.#mayHaveMore && this.#isLow())) this.#nextRound.resolve();
  }

  #hasRoom(): boolean {
    return this.#open.size < Math.min(mostOpen(this.#failures), this.#options.readShare());
  }

  #isLow(): boolean {
    return this.#atHand.length < chunk / 2;
  }

  #isFresh(): boolean {
    return performance.now() - this.#readAtMs <= freshMs;
  }

  #isIdle(): boolean {
    return this.#open.size === 0 && this.#ended.length === 0 && this.#atHand.length === 0;
  }

  #isOver(): boolean {
    if (!this.#isIdle()) return false;
    const hasLingered = !this.#mayHaveMore && performance.now() >= this.#lastEndedAtMs + this.#options.lingerMs;
    return this.#isStopping || hasLingered;
  }

  /** Deliveries at hand stay claimed until the pump ends, which releases them. */
  #stop(): void {
    this.#isStopping = true;
    this.#atHand.length = 0;
    this.#nextRound.resolve();
  }

  #nextRoundInMs(): number {
    const nowMs = performance.now();
    if (this.#isIdle()) {
      const lingerForMs = this.#lastEndedAtMs + this.#options.lingerMs - nowMs;
      return Math.max(0, Math.min(claimAgainMs, lingerForMs));
    }
    if (this.#atHand.length === 0 || this.#webhook === undefined) return roundMs;
    const startInMs = this.#pace.nextStartMs(this.#webhook.maxPerSecond) - nowMs;
    return startInMs > 0 ? Math.min(roundMs, startInMs) : roundMs;
  }
}
