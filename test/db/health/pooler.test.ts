import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { PoolerError, requireSessions } from '#db/health/pooler.ts';
import { isOperatorError } from '#start/shared.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { createTransactionPooler } from '#test/support/transaction-pooler.ts';

const db = useTestDatabase();

test('a pooler in transaction mode is refused by name at the start, PostgreSQL itself is not', async () => {
  await requireSessions(db.pool);
  await using pooler = await createTransactionPooler(db.url);
  const pooled = createDatabase({ url: pooler.url });
  const error = await requireSessions(pooled.pool).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PoolerError);
  expect((error as Error).message).toMatch(/a pooler in transaction mode \(PgBouncer: pool_mode = transaction\)/);
  expect(isOperatorError(error)).toBe(true);
  await pooled.close();
});

test('a pooler that refuses the settings of a connection is named too', async () => {
  const refusal = Object.assign(new Error('unsupported startup parameter: statement_timeout'), { code: '08P01' });
  const pool = { connect: () => Promise.reject(refusal) } as unknown as typeof db.pool;
  await expect(requireSessions(pool)).rejects.toThrow(/a pooler \(PgBouncer\) that refuses settings/);
});
