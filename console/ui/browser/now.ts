import { useSyncExternalStore } from 'react';

/** A clock that moves on every so many milliseconds while something on the page shows it. */
function createClock(everyMs: number) {
  let now = new Date();
  const listeners = new Set<() => void>();
  let ticking: ReturnType<typeof setInterval> | undefined;
  const tick = (): void => {
    now = new Date();
    for (const each of listeners) each();
  };
  return {
    read: () => now,
    subscribe(listener: () => void): () => void {
      // It stood still while nothing showed it.
      if (listeners.size === 0) now = new Date();
      listeners.add(listener);
      ticking ??= setInterval(tick, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(ticking);
        ticking = undefined;
      };
    },
  };
}

const slow = createClock(15_000);
const seconds = createClock(1_000);
// Before a moment is told in seconds, the slow clock has to move on once.
const nearMs = 90_000;

/** @returns the time, which moves on every 15 seconds while the page is shown. */
export function useNow(): Date {
  return useSyncExternalStore(slow.subscribe, slow.read);
}

/** @returns the time for the way to a moment: it moves on every second once that is told in seconds. @param at null: none comes. */
export function useNowUntil(at: string | null): Date {
  const now = useNow();
  const isNear = at !== null && Math.abs(Date.parse(at) - now.getTime()) < nearMs;
  const clock = isNear ? seconds : slow;
  return useSyncExternalStore(clock.subscribe, clock.read);
}
