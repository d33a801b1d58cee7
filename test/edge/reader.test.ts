import { expect, test } from 'vitest';
import { createDatabase } from '../../db/database.ts';
import { createReader } from '../../edge/lookup/reader.ts';
import { silentLog } from '../support/edge.ts';
import { createTestDatabase } from '../support/stack.ts';

const timeoutMs = 200;

/** Keeps the process from all else. */
function beBusy(forMs: number): void {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs);
}

test('an answer that has come while the process was busy counts, however late it is read', async () => {
  await using database = await createTestDatabase();
  const db = createDatabase({ url: database.url });
  const reader = createReader({ database: db, log: silentLog, timeoutMs });
  await db.query('select 1');
  for (let round = 0; round < 5; round += 1) {
    const answer = reader.query('select 1 as one');
    setImmediate(() => beBusy(2 * timeoutMs));
    expect((await answer).rows).toEqual([{ one: 1 }]);
  }
  expect(reader.isAway()).toBe(false);
  reader.close();
  await db.close();
});

test('an answer that does not come is given up at the deadline, and others are not waited for until it is back', async () => {
  await using database = await createTestDatabase();
  const db = createDatabase({ url: database.url });
  const reader = createReader({ database: db, log: silentLog, timeoutMs });
  await expect(reader.query('select pg_sleep(10)')).rejects.toThrow('cannot be reached');
  expect(reader.isAway()).toBe(true);
  await expect(reader.query('select 1')).rejects.toThrow('cannot be reached');
  reader.close();
  await db.close();
});
