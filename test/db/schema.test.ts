import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { migrate, requireSchema } from '#db/migrations/migrate.ts';
import { migrations } from '#db/migrations/index.ts';
import { createMigrationOrm } from '#db/connection/orm.ts';
import { newestMigration } from '#db/migrations/newest.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

describe('migrations', () => {
  it('end with the migration that newest.ts names', () => {
    expect(newestMigration).toBe(migrations.at(-1)!.name);
  });

  it('agree with the entities', async () => {
    const orm = createMigrationOrm(db.url);
    try {
      expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
    } finally {
      await orm.close();
    }
  });

  it('index every foreign key', async () => {
    const { rows } = await db.query(`
      select c.conrelid::regclass::text as table, c.conname as key
      from pg_constraint c
      where c.contype = 'f' and not exists (
        select from pg_index i
        where i.indrelid = c.conrelid and (i.indkey::int2[])[0:array_length(c.conkey, 1) - 1] @> c.conkey)`);
    expect(rows).toEqual([]);
  });

  it('give clicks partitions and no foreign keys', async () => {
    const { rows } = await db.query(`
      select (select partstrat from pg_partitioned_table where partrelid = 'clicks'::regclass) as strategy,
        (select count(*) from pg_constraint where conrelid = 'clicks'::regclass and contype = 'f') as keys`);
    expect(rows).toEqual([{ strategy: 'r', keys: 0 }]);
  });

  it('are applied once by two processes that start together, and again without effect', async () => {
    const { adminUrl } = inject('stack');
    const name = `waymark_test_empty_${process.pid}`;
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    try {
      await admin.query(`create database ${name}`);
      const url = new URL(adminUrl);
      url.pathname = `/${name}`;
      const empty = createDatabase({ url: url.href });
      await expect(requireSchema(empty.pool)).rejects.toThrow('lacks migration');
      const applied = await Promise.all([migrate(url.href), migrate(url.href)]);
      expect(applied.flat()).toEqual([...new Set(applied.flat())]);
      expect(applied.flat()).not.toEqual([]);
      expect(await migrate(url.href)).toEqual([]);
      await requireSchema(empty.pool);
      await empty.close();
    } finally {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    }
  });
});

describe('a database that deletes by tombstone', () => {
  it('keeps names unique among live rows', async () => {
    const orm = createMigrationOrm(db.url);
    const { rows } = await orm.em.getConnection().execute<{ rows: unknown[] }>(
      `select indexdef from pg_indexes where schemaname = 'public' and indexname in
        ('short_links_slug_key', 'short_links_external_id_key', 'domains_verified_key', 'domains_name_key',
         'folders_name_key', 'tags_name_key', 'users_email_key', 'api_keys_bot_key', 'api_keys_user_key')
        and indexdef not like '%deleted_at IS NULL%'`,
      [],
      'run',
    );
    await orm.close();
    expect(rows).toEqual([]);
  });
});
