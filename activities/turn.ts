import { Context } from '@temporalio/activity';

/** How long a turn goes on, how long a rest takes at least, and how many times as long as the batch before it. */
interface TurnTimes {
  turnMs: number;
  restMs?: number;
  restFactor?: number;
}

/** A bounded piece of an activity's work, done in batches. */
interface Turn {
  /** Checks (`check`), then does one batch. */
  batch<T>(work: () => Promise<T>): Promise<T>;
  /** @throws AbortError when the worker is about to end: another worker goes on. */
  check(): void;
  /** Sleeps `restFactor` times as long as the last batch took: other work has its share of the database. */
  rest(): Promise<void>;
  /** The activity should return, and say that there is more to do. */
  isOver(): boolean;
}

const beatEveryMs = 1_000;

/** Runs an activity's work with a heartbeat each second, by whose absence Temporal notices a dead worker. */
export async function withHeartbeat<T>(work: () => Promise<T>, details?: () => unknown): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(details?.()), beatEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

/** Runs an activity's work in a turn, with heartbeats. */
export function takeTurn<T>(
  { turnMs, restMs = 0, restFactor = 1 }: TurnTimes,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const endsAtMs = Date.now() + turnMs;
  let tookMs = 0;
  const check = (): void => context.cancellationSignal.throwIfAborted();
  const turn: Turn = {
    check,
    async batch(run) {
      check();
      const startedAtMs = Date.now();
      const result = await run();
      tookMs = Date.now() - startedAtMs;
      return result;
    },
    rest: () => context.sleep(Math.max(restMs, tookMs * restFactor)),
    isOver: () => Date.now() >= endsAtMs,
  };
  return withHeartbeat(() => work(turn));
}

/** Does batches, without rests, until one says that there is no more or the turn is over. @returns the former. */
export async function untilDone(turn: Turn, batch: () => Promise<{ more: boolean }>): Promise<boolean> {
  for (;;) {
    const { more } = await turn.batch(batch);
    if (!more || turn.isOver()) return !more;
  }
}
