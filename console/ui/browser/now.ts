import { useSyncExternalStore } from 'react';

const everyMs = 15_000;

let now = new Date();
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    now = new Date();
    for (const each of listeners) each();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** @returns the time, which moves on every 15 seconds while the page is shown. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}
