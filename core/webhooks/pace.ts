/** The largest `maxPerSecond` of a webhook. */
export const fastestPace = 1_000;

const secondMs = 1_000;

/** Holds requests to a rate: in no second begin more than `maxPerSecond`. Moments share one clock, in milliseconds. */
export class Pace {
  /** The starts of the last requests, as many as the fastest pace counts. */
  readonly #startsMs: number[] = [];
  readonly #quietUntilMs: number;

  /** @param quietUntilMs until when requests of an earlier pump may count. */
  constructor(quietUntilMs: number) {
    this.#quietUntilMs = quietUntilMs;
  }

  /** When the next request may begin; a moment that has passed: now. @param maxPerSecond null: no limit. */
  nextStartMs(maxPerSecond: number | null): number {
    if (maxPerSecond === null) return 0;
    const secondBackMs = this.#startsMs.at(-maxPerSecond) ?? -Infinity;
    return Math.max(this.#quietUntilMs, secondBackMs + secondMs);
  }

  /** Notes a request that begins. */
  start(nowMs: number): void {
    this.#startsMs.push(nowMs);
    if (this.#startsMs.length > fastestPace) this.#startsMs.shift();
  }
}
