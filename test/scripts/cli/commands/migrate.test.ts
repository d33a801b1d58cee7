import { describe, expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { newestMigration } from '#db/migrations/newest.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { createTestDatabase, edgeRole } from '#test/support/stack.ts';

const cli = createCliFixture();

/** Runs `migrate --check` on a database of its own after a statement. */
async function checkAfter(statement: string) {
  await using database = await createTestDatabase();
  const db = createDatabase({ url: database.url });
  const audited = async () => (await db.query<{ count: number }>('select count(*) from audit_log')).rows[0]!.count;
  try {
    await db.query(statement);
    const env = { DATABASE_URL: database.url };
    const text = await cli.run(['migrate', '--check'], { env });
    const json = await cli.run(['migrate', '--check', '--json'], { env });
    expect(json.code).toBe(text.code);
    expect(await audited()).toBe(0);
    const { rows } = await db.query('select name from migrations order by id desc limit 1');
    return { ...text, json: JSON.parse(json.out), newestApplied: rows[0]?.name };
  } finally {
    await db.close();
  }
}

test(
  'migrate --check ends with 0 where entities and database are equal, partitions of clicks included',
  { tags: 'slow' },
  async () => {
    expect(await checkAfter(`select ensure_click_month(to_char(now(), 'YYYY-MM'))`)).toMatchObject({
      code: 0,
      out: 'The schema is up to date.\n',
      err: '',
      json: { pending: [], statements: [] },
    });
  },
);

test('migrate --check shows a dropped column and ends with 1', { tags: 'slow' }, async () => {
  const { code, out, json } = await checkAfter('alter table folders drop column color');
  expect(code).toBe(1);
  expect(json.pending).toEqual([]);
  expect(json.statements).toEqual([expect.stringMatching(/^alter table "folders" add (column )?"color" /)]);
  expect(out).toBe(
    `The database differs from this version, and no migration repairs it. These statements would:\n  ${json.statements[0]};\n`,
  );
});

test(
  'migrate --check names a pending migration, does not apply it, and ends with 1',
  { tags: ['slow', 'nightly'] },
  async () => {
    const { code, out, json, newestApplied } = await checkAfter(
      `delete from migrations where name = '${newestMigration}'`,
    );
    expect([code, json]).toEqual([1, { pending: [newestMigration], statements: [] }]);
    expect(out).toBe(`Not applied: ${newestMigration}.\n`);
    expect(newestApplied).not.toBe(newestMigration);
  },
);

test('migrate --check of an empty database names every migration and makes no table', async () => {
  const statement = 'drop schema public cascade; create schema public';
  await using database = await createTestDatabase();
  const db = createDatabase({ url: database.url });
  await db.query(statement);
  const { code, out } = await cli.run(['migrate', '--check', '--json'], { env: { DATABASE_URL: database.url } });
  expect(code).toBe(1);
  expect(JSON.parse(out).pending).toEqual(expect.arrayContaining(['0091-scan-lanes', newestMigration]));
  expect((await db.query(`select from pg_tables where schemaname = 'public'`)).rowCount).toBe(0);
  await db.close();
});

test('migrate --check refuses --edge-role', async () => {
  expect(await cli.run(['migrate', '--check', '--edge-role', edgeRole])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--check: changes nothing, so it cannot be combined with --edge-role'),
  });
});

test('migrate says that it is ClickHouse which cannot be reached, with --check too', async () => {
  const env = { CLICKHOUSE_URL: 'http://127.0.0.1:1/waymark' };
  for (const args of [['migrate'], ['migrate', '--check']])
    expect(await cli.run(args, { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining('The ClickHouse of CLICKHOUSE_URL cannot be used: connect ECONNREFUSED'),
    });
});

describe.skipIf(chdb === undefined)('migrate --check with ClickHouse', { tags: ['process', 'slow'] }, () => {
  const clickhouse = useClickHouse();

  test('names the tables and columns that migrate has not made', async () => {
    const check = async (url = clickhouse.url) => {
      const { code, out, err } = await cli.run(['migrate', '--check'], { env: { CLICKHOUSE_URL: url } });
      return [code, out + err];
    };
    expect(await check()).toEqual([0, 'The schema is up to date.\n']);
    await clickhouse.execute('alter table clicks drop column city');
    await clickhouse.execute('drop table bot_clicks');
    expect(await check()).toEqual([1, 'ClickHouse lacks: clicks.city, bot_clicks.\n']);
    expect(await check(clickhouse.url.replace(/\/test_.*/, '/no_such_database'))).toEqual([
      1,
      'The ClickHouse of CLICKHOUSE_URL cannot be used: UNKNOWN_DATABASE\n',
    ]);
  });
});
