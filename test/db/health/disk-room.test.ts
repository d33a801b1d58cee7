import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { createDatabaseRoom } from '#db/health/disk-room.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

// The server says the same of a disk without room, and says it of any statement that has to write.
const fail = `do $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`;

test('a statement for which the disk has no room marks it as full, until a probe finds room again', async () => {
  const room = createDatabaseRoom({ db, everyMs: 600_000, againMs: 300 });
  expect(room.isFull()).toBe(false);
  await expect(db.query(fail)).rejects.toThrow('No space left');
  expect(room.isFull()).toBe(true);
  expect(db.errors.counts.diskFull).toBe(1);
  expect(
    await eventually(
      async () => room.isFull(),
      (full) => !full,
    ),
  ).toBe(false);
  await expect(db.transaction((tx) => tx.query(fail))).rejects.toThrow('No space left');
  expect(room.isFull()).toBe(true);
  room.close();
});

test('the probe takes some 16 MB of the disk, for as long as it runs', async () => {
  const bytes = async (): Promise<number> => {
    // A backend tells of what it has done when it ends, or at most a second later.
    const { rows } = await db.query<{ bytes: number }>(
      'select temp_bytes as bytes from pg_stat_database where datname = current_database()',
    );
    return rows[0]!.bytes;
  };
  const before = await bytes();
  const own = createDatabase({ url: db.url, poolMax: 1 });
  const room = createDatabaseRoom({ db: own, everyMs: 600_000 });
  await eventually(async () => own.pool.totalCount > 0 && own.pool.idleCount > 0, Boolean);
  room.close();
  await own.close();
  expect(await eventually(bytes, (now) => now > before + 10_000_000)).toBeLessThan(before + 40_000_000);
});

test('errors of the database are counted by kind, errors that callers provoke are not counted', async () => {
  const own = createDatabase({ url: db.url });
  await own.query('set statement_timeout = 1; select pg_sleep(1)').catch(() => undefined);
  await own.query('select 1 / 0').catch(() => undefined);
  await own.query(`insert into workers (id) values (null)`).catch(() => undefined);
  await own.transaction(async () => Promise.reject(new Error('no'))).catch(() => undefined);
  const away = createDatabase({ url: 'postgres://127.0.0.1:1/none' });
  await away.query('select 1').catch(() => undefined);
  expect([own.errors.counts.timeout, away.errors.counts.connection]).toEqual([1, 1]);
  expect(Object.values(own.errors.counts).reduce((sum, count) => sum + count)).toBe(1);
  await Promise.all([own.close(), away.close()]);
});
