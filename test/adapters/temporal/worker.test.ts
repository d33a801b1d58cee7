import { describe, expect, test } from 'vitest';
import { untilEnded } from '#adapters/temporal/worker.ts';

describe('the end of a Temporal worker', () => {
  test('a worker whose state is FAILED has ended, although its run never settles', { tags: 'slow' }, async () => {
    let state: 'RUNNING' | 'FAILED' = 'RUNNING';
    const ended = untilEnded({ run: () => new Promise(() => {}), getState: () => state });
    state = 'FAILED';
    await expect(ended).rejects.toThrow('state FAILED');
  });

  test('a worker that stops in order has ended without an error', async () => {
    const worker = { run: () => Promise.resolve(), getState: () => 'STOPPED' as const };
    expect(await untilEnded(worker)).toBeUndefined();
  });
});
