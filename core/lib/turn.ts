// A choice: longer work without a break holds up other calls, each of which needs several turns of the event loop (bench row V1).
const turnMs = 2;

/** Work that waits for its turn, of all calls of this process. */
const waiting: (() => void)[] = [];

function resumeNext(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/**
 * Divides long work on the event loop: call the result after each small part. After 2 ms it gives other calls their turn; until
 * then it resolves at once. Of all work that is divided so, one piece runs in each round of the event loop: several pieces in
 * one round would hold up other calls as long as one that is not divided.
 */
export function createTurn(): () => Promise<void> | undefined {
  // Short work, such as one link to show, never waits.
  let endsAtMs = performance.now() + turnMs;
  return () => {
    if (performance.now() < endsAtMs) return undefined;
    return new Promise((resolve) => {
      waiting.push(() => {
        endsAtMs = performance.now() + turnMs;
        resolve();
      });
      if (waiting.length === 1) setImmediate(resumeNext);
    });
  };
}
