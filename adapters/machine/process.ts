import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { cleanError } from '#core/lib/text/clean-error.ts';

/** Start, readiness and end of every process of Waymark. */

/** Aborted when the process is to end: at the first signal, or when the process that started it is gone. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
  return controller.signal;
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Reports to the parent process that this one serves. */
export function reportReady(): void {
  // The callback takes the error of a parent that is gone: else its broken pipe would end the process as an unhandled one.
  process.send?.({ type: 'ready' }, undefined, undefined, () => undefined);
}

const retryMs = 500;

interface Patience {
  stopping: AbortSignal;
  /** Whether waiting does not help. */
  isOperatorError?: (error: unknown) => boolean;
  /** Milliseconds between two attempts. Default: half a second. */
  everyMs?: number;
  /** Called after each attempt that failed. */
  onWaiting: (error: unknown) => void;
}

/**
 * Retries `attempt` until it succeeds or the process stops: services that it needs may still be starting.
 * @returns undefined where the process stops.
 * @throws the errors for which `isOperatorError` is true.
 */
export async function untilSuccess<T>(
  attempt: () => Promise<T>,
  { stopping, isOperatorError = () => false, everyMs = retryMs, onWaiting }: Patience,
): Promise<T | undefined> {
  while (!stopping.aborted) {
    try {
      return await attempt();
    } catch (error) {
      if (isOperatorError(error)) throw error;
      onWaiting(error);
      await setTimeout(everyMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  return undefined;
}

/**
 * Runs a process from start to end and exits: 0 after a clean end, 1 after an error, which goes to standard error; an
 * operator's mistake (`isOperatorError`) without the stack.
 */
export async function runToExit(main: () => Promise<void>, isOperatorError: (error: Error) => boolean): Promise<never> {
  try {
    await main();
    process.exit(0);
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    process.stderr.write(`${isOperatorError(cause) ? cause.message : cleanError(cause).stack}\n`);
    process.exit(1);
  }
}
