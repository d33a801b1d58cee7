// @module-tag slow

import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { createReader } from '#edge/lookup/reader.ts';
import { silentLog } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTcpProxy } from '#test/support/tcp-proxy.ts';
import { createTestDatabase } from '#test/support/stack.ts';

const timeoutMs = 200;

/** Keeps the process from all else. */
function beBusy(forMs: number): void {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs);
}

test(
  'an answer that arrived while the process was busy counts, however late it is read',
  { tags: 'nightly' },
  async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    const reader = createReader({ database: db, log: silentLog, timeoutMs });
    await db.query('select 1');
    for (let round = 0; round < 5; round += 1) {
      const answer = reader.query('select 1 as one');
      setImmediate(() => beBusy(2 * timeoutMs));
      expect((await answer).rows).toEqual([{ one: 1 }]);
    }
    expect(reader.isUnreachable()).toBe(false);
    reader.close();
    await db.close();
  },
);

test('a slow statement fails alone, even when slow statements hold every connection', async () => {
  await using database = await createTestDatabase();
  const db = createDatabase({ url: database.url, poolMax: 3 });
  const reader = createReader({ database: db, log: silentLog, timeoutMs: 1_000 });
  const slow = Array.from({ length: 4 }, () => reader.query('select pg_sleep(10)'));
  for (const statement of slow) await expect(statement).rejects.toThrow('took too long');
  expect(reader.isUnreachable()).toBe(false);
  expect((await reader.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  const limited = createDatabase({ url: `${database.url}?options=-c%20statement_timeout%3D100ms` });
  const other = createReader({ database: limited, log: silentLog, timeoutMs: 5_000 });
  await expect(other.query('select pg_sleep(10)')).rejects.toThrow('took too long');
  expect(other.isUnreachable()).toBe(false);
  for (const each of [reader, other]) each.close();
  await limited.close();
  await db.close();
});

test('an unreachable database fails statements at the deadline, then at once until it is back', async () => {
  await using database = await createTestDatabase();
  await using proxy = await createTcpProxy(database.url);
  const db = createDatabase({ url: proxy.url });
  const reader = createReader({ database: db, log: silentLog, timeoutMs });
  await eventually(() => reader.query('select 1').catch(() => undefined));
  proxy.freeze();
  await expect(reader.query('select 1')).rejects.toThrow('cannot be reached');
  expect(reader.isUnreachable()).toBe(true);
  await expect(reader.query('select 1')).rejects.toThrow('cannot be reached');
  proxy.restore();
  await eventually(
    () => reader.isUnreachable(),
    (isUnreachable) => !isUnreachable,
  );
  reader.close();
  await db.close();
});
