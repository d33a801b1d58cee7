import { expect, test } from 'vitest';
import { describeLockWaits } from '#db/health/lock-waits.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test('a lock that is waited for is told with its holder, and no statement; none is told as none', async () => {
  expect(await describeLockWaits(db)).toBeUndefined();
  const holding = await db.pool.connect();
  try {
    await holding.query('begin; lock table tags in access exclusive mode');
    const waiting = db.query('select from tags');
    const told = await eventually(
      () => describeLockWaits(db),
      (waits) => waits !== undefined,
    );
    expect(told).toMatch(/^\d+ s for a lock of .+ \(process \d+, idle in transaction for \d+ s\)$/);
    await holding.query('rollback');
    await waiting;
  } finally {
    await holding.query('rollback');
    holding.release();
  }
});
