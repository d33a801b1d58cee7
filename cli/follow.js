import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError } from '@waymark/sdk';

const pollEveryMs = 2_000;
const longestWaitMs = 30_000;

/**
 * Polls until Ctrl-C, which is its good end. An outage that passes, such as a restart of the API, is told and waited for.
 * @param {{ signal: AbortSignal }} io
 * @param {{ warn: (text: string) => void }} output
 * @param {() => Promise<boolean | void>} poll resolves with true where there is more at once
 */
export async function follow({ signal }, { warn }, poll) {
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = pollEveryMs;
    try {
      if ((await poll()) === true) waitMs = 0;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) throw error;
      waitMs = Math.min(pollEveryMs * 2 ** failures, longestWaitMs);
      failures += 1;
      warn(`${error.message} Going on in ${waitMs / 1_000} s.`);
    }
    if (waitMs > 0) await pause(waitMs, signal);
  }
}

const isPassing = (error) =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500));

/** Ends early by the signal, without an error. */
const pause = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {});
