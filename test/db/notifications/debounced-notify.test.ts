import { describe, expect, it } from 'vitest';
import { debouncedNotify } from '#db/notifications/debounced-notify.ts';
import { eventually } from '#test/support/eventually.ts';

function createSend(answer: () => Promise<unknown>): { send: () => Promise<unknown>; sent: number[] } {
  const sent: number[] = [];
  const send = async () => {
    sent.push(performance.now());
    await answer();
  };
  return { send, sent };
}

const fail = (error: unknown): void => {
  throw error;
};

describe('debouncedNotify', () => {
  it('sends the first request at once, and one more for all that come within 10 ms', async () => {
    const { send, sent } = createSend(async () => {});
    const request = debouncedNotify(send, fail);
    request();
    expect(sent).toHaveLength(1);
    for (let time = 0; time < 50; time += 1) request();
    await eventually(
      () => sent.length,
      (count) => count === 2,
    );
    expect(sent[1]! - sent[0]!).toBeGreaterThan(8);
    request();
    await eventually(
      () => sent.length,
      (count) => count >= 3,
    );
    expect(sent).toHaveLength(3);
  });

  it('sends again after a notification that failed', async () => {
    const errors: unknown[] = [];
    const { send, sent } = createSend(() => Promise.reject(new Error('away')));
    const request = debouncedNotify(send, (error) => errors.push(error));
    request();
    request();
    await eventually(
      () => errors.length,
      (count) => count === 2,
    );
    expect(sent).toHaveLength(2);
  });

  it('settles once every request is sent', async () => {
    const { send, sent } = createSend(async () => {});
    const request = debouncedNotify(send, fail);
    await request.settled();
    expect(sent).toHaveLength(0);
    request();
    request();
    await request.settled();
    expect(sent).toHaveLength(2);
  });
});
