import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate, MigrationLockError } from '#db/connection/migrate.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const names = ['0050-domain-dns', '0052-session-browsers'];

test('migrations let statements pass while they wait for a lock, and hold none of migrations before', async () => {
  await db.query('alter table domains drop column dns');
  await db.query('alter table sessions drop column browser, drop column os');
  await db.query('delete from migrations where name = any($1)', [names]);
  const reader = new pg.Client({ connectionString: db.url });
  const other = new pg.Client({ connectionString: db.url, statement_timeout: 10_000 });
  await Promise.all([reader.connect(), other.connect()]);
  try {
    // A long transaction, such as a dump's, which `alter table sessions` has to wait for.
    await reader.query('begin; select from sessions');
    await expect(migrate(db.url, { patienceMs: 0 })).rejects.toThrow(MigrationLockError);
    const { rows } = await db.query<{ name: string }>('select name from migrations where name = any($1)', [names]);
    expect(rows).toEqual([{ name: names[0] }]);

    const migrating = migrate(db.url);
    await eventually(async () => {
      const { rowCount } = await db.query(
        `select from pg_locks where relation = 'sessions'::regclass and not granted and mode = 'AccessExclusiveLock'`,
      );
      return rowCount === 1;
    });
    // Behind a migration that waits without end this statement would wait too.
    await other.query('select from sessions, domains');
    await reader.query('commit');
    expect(await migrating).toEqual([names[1]]);
  } finally {
    await Promise.all([reader.end(), other.end()]);
  }
});
