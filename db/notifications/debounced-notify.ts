import { setTimeout } from 'node:timers/promises';

/** A function that requests a notification; `settled` resolves once none is under way. */
export interface DebouncedNotify {
  (): void;
  settled(): Promise<void>;
}

// Each commit with a NOTIFY takes a lock of the whole server. One in 10 ms costs nothing; one in every commit would
// serialise them.
const restMs = 10;

/**
 * Debounces a notification that many commits ask for: the first request sends at once, requests within the next 10 ms share
 * one more.
 * @param send sends one notification. A failure is reported to `onError` and not repeated: receivers poll as well.
 */
export function debouncedNotify(send: () => Promise<unknown>, onError: (error: Error) => void): DebouncedNotify {
  let running: Promise<void> | undefined;
  let isRequested = false;
  const run = async (): Promise<void> => {
    do {
      isRequested = false;
      await send().catch(onError);
      await setTimeout(restMs);
    } while (isRequested);
    running = undefined;
  };
  const request = (): void => {
    isRequested = true;
    running ??= run();
  };
  return Object.assign(request, { settled: async () => running });
}
