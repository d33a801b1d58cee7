/** Numbers from 0 up to 1 that look random and are the same for the same seed (mulberry32). */
export type Random = () => number;

/** Starts a sequence from a seed, a 32-bit number. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A number of milliseconds between two others. */
export function between(random: Random, leastMs: number, mostMs: number): number {
  return Math.round(leastMs + random() * (mostMs - leastMs));
}

/** One of the items; there must be one. */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}
