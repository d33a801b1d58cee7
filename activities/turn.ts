import { Context } from '@temporalio/activity';
import type { Sql } from '#db/connection/database.ts';
import { describeLockWaits } from '#db/health/lock-waits.ts';

/** How long a turn goes on, how long a rest takes at least, and how many times as long as the batch before it. */
interface TurnOptions {
  turnMs: number;
  restMs?: number;
  restFactor?: number;
  /** The database of the batches, asked for the locks that a long one waits for. */
  sql: Sql;
  /** Told when a batch begins to wait for locks, with whose, and when that is over. */
  onWaits?: (waits: string | undefined) => Promise<void>;
}

/** A bounded piece of an activity's work, done in batches. */
interface Turn {
  /** Checks (`check`), then does one batch. */
  batch<T>(work: () => Promise<T>): Promise<T>;
  /** Tells operators how far the work has come, by the next heartbeat. */
  show(progress: string): void;
  /** @throws AbortError when the worker is about to end: another worker goes on. */
  check(): void;
  /** Sleeps `restFactor` times as long as the last batch took: other work has its share of the database. */
  rest(): Promise<void>;
  /** The activity should return, and say that there is more to do. */
  isOver(): boolean;
}

const beatEveryMs = 1_000;
const longBatchMs = 2_000;

/**
 * Runs an activity's work with a heartbeat each second, by whose absence Temporal notices a dead worker. Work that fails after a
 * cancellation is reported as cancelled: another worker goes on.
 */
export async function withHeartbeat<T>(work: () => Promise<T>, details?: () => unknown): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(details?.()), beatEveryMs);
  try {
    return await work();
  } catch (error) {
    if (context.cancellationSignal.aborted) await context.cancelled;
    throw error;
  } finally {
    clearInterval(beat);
  }
}

/** Runs an activity's work in a turn, with heartbeats that say how far it has come, and which locks it waits for. */
export function takeTurn<T>(
  { turnMs, restMs = 0, restFactor = 1, sql, onWaits }: TurnOptions,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const endsAtMs = Date.now() + turnMs;
  let tookMs = 0;
  let batchSinceMs = Number.POSITIVE_INFINITY;
  let progress: string | undefined;
  let waits: string | undefined;
  let asking: Promise<void> | undefined;
  const check = (): void => context.cancellationSignal.throwIfAborted();
  const turn: Turn = {
    check,
    async batch(run) {
      check();
      batchSinceMs = Date.now();
      const result = await run();
      tookMs = Date.now() - batchSinceMs;
      batchSinceMs = Number.POSITIVE_INFINITY;
      return result;
    },
    show: (text) => void (progress = text),
    rest: () => context.sleep(Math.max(restMs, tookMs * restFactor)),
    isOver: () => Date.now() >= endsAtMs,
  };

  /** What an operator sees of the pending activity. */
  function details(): { progress?: string; waits?: string } {
    if (waits !== undefined || Date.now() - batchSinceMs >= longBatchMs)
      asking ??= findWaits().finally(() => (asking = undefined));
    return { ...(progress === undefined ? {} : { progress }), ...(waits === undefined ? {} : { waits }) };
  }

  async function findWaits(): Promise<void> {
    const before = waits;
    const isLong = Date.now() - batchSinceMs >= longBatchMs;
    waits = isLong ? await describeLockWaits(sql).catch(() => undefined) : undefined;
    if ((waits === undefined) !== (before === undefined)) await onWaits?.(waits).catch(() => undefined);
  }

  return withHeartbeat(async () => {
    try {
      return await work(turn);
    } finally {
      await asking;
    }
  }, details);
}

/** Does batches, without rests, until one says that there is no more or the turn is over. @returns the former. */
export async function untilDone(turn: Turn, batch: () => Promise<{ more: boolean }>): Promise<boolean> {
  for (;;) {
    const { more } = await turn.batch(batch);
    if (!more || turn.isOver()) return !more;
  }
}

/**
 * Does batches until one handles fewer than `limit` rows or the turn is over, and shows their sum.
 * @param what the rows and what is done to them, for operators: `clicks removed`.
 */
export async function sumBatches(
  turn: Turn,
  { what, limit }: { what: string; limit: number },
  batch: () => Promise<number>,
): Promise<{ count: number; more: boolean }> {
  let sum = 0;
  const isDone = await untilDone(turn, async () => {
    const count = await batch();
    sum += count;
    turn.show(`${figure(sum)} ${what}`);
    return { more: count >= limit };
  });
  return { count: sum, more: !isDone };
}

/** A count for operators: `12,400`. */
export function figure(count: number): string {
  return count.toLocaleString('en-US');
}
