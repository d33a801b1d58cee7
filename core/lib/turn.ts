import { setImmediate as nextTurn } from 'node:timers/promises';

// A choice: longer work without a break would hold up other calls.
const turnMs = 5;

/**
 * Divides long work on the event loop: call the result after each small part. After 5 ms it gives other calls their turn; until
 * then it resolves at once.
 */
export function createTurn(): () => Promise<void> | undefined {
  let endsAtMs = performance.now() + turnMs;
  return () => {
    if (performance.now() < endsAtMs) return undefined;
    return nextTurn().then(() => {
      endsAtMs = performance.now() + turnMs;
    });
  };
}
