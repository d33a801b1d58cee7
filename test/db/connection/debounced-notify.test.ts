import { describe, expect, it } from 'vitest';
import type { Sql } from '#db/connection/database.ts';
import { channels, createBell } from '#db/connection/notify.ts';
import { eventually } from '#test/support/eventually.ts';

function createSql(query: () => Promise<unknown>): { sql: Sql; sent: number[] } {
  const sent: number[] = [];
  const sql = {
    query: async () => {
      sent.push(performance.now());
      await query();
      return { rows: [] };
    },
  };
  return { sql: sql as unknown as Sql, sent };
}

const fail = (error: unknown): void => {
  throw error;
};

describe('createBell', () => {
  it('rings at once, and once more for all that came meanwhile', async () => {
    const { sql, sent } = createSql(async () => {});
    const ring = createBell(sql, channels.outbox, fail);
    ring();
    expect(sent).toHaveLength(1);
    for (let time = 0; time < 50; time += 1) ring();
    await eventually(
      () => sent.length,
      (count) => count === 2,
    );
    expect(sent[1]! - sent[0]!).toBeGreaterThan(8);
    ring();
    await eventually(
      () => sent.length,
      (count) => count >= 3,
    );
    expect(sent).toHaveLength(3);
  });

  it('goes on after a ring that failed', async () => {
    const errors: unknown[] = [];
    const { sql, sent } = createSql(() => Promise.reject(new Error('away')));
    const ring = createBell(sql, channels.outbox, (error) => errors.push(error));
    ring();
    ring();
    await eventually(
      () => errors.length,
      (count) => count === 2,
    );
    expect(sent).toHaveLength(2);
  });
});
