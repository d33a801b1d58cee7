// @module-tag slow

import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate, MigrationLockError } from '#db/migrations/migrate.ts';
import { eventually } from '#test/support/eventually.ts';
import { createEmptyDatabase, runScript } from '#test/support/release.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test('a migration lets statements pass while it waits for a lock', async () => {
  const dropping = '0092-no-scan-records';
  // A table that it drops.
  await db.query('create table answered_scans ()');
  await db.query('delete from migrations where name = $1', [dropping]);
  const reader = new pg.Client({ connectionString: db.url });
  const other = new pg.Client({ connectionString: db.url, statement_timeout: 10_000 });
  await Promise.all([reader.connect(), other.connect()]);
  try {
    // A long transaction, such as a dump's, which `drop table` has to wait for.
    await reader.query('begin; select from answered_scans');
    await expect(migrate(db.url, { patienceMs: 0 })).rejects.toThrow(MigrationLockError);

    const migrating = migrate(db.url);
    await eventually(async () => {
      const { rowCount } = await db.query(
        `select from pg_locks where relation = 'answered_scans'::regclass and not granted and mode = 'AccessExclusiveLock'`,
      );
      return rowCount === 1;
    });
    // Behind a migration that waits without end this statement would wait too.
    await other.query('select from answered_scans');
    await reader.query('commit');
    expect(await migrating).toEqual([dropping]);
  } finally {
    await Promise.all([reader.end(), other.end()]);
  }
});

test('a database of before the baseline is refused with the commit that brings it there, and stays as it is', async () => {
  await using old = await createEmptyDatabase();
  await runScript(
    old.url,
    `create table migrations (id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default now());
     insert into migrations (name) values ('0001-spine'), ('0089-worker-tasks')`,
  );
  await expect(migrate(old.url)).rejects.toThrow(
    /^This database is older than migration 0091-scan-lanes: first migrate it with Waymark at commit [0-9a-f]{40} \(docs\/upgrade\.md\)\.$/,
  );
  const client = new pg.Client({ connectionString: old.url });
  await client.connect();
  try {
    const { rows } = await client.query(`select tablename from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([{ tablename: 'migrations' }]);
  } finally {
    await client.end();
  }
});
