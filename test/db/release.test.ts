// @module-tag slow

import { beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { compareSchema, migrate } from '#db/migrations/migrate.ts';
import { migrations } from '#db/migrations/index.ts';
import { newestMigration } from '#db/migrations/newest.ts';
import { createTestApi } from '#test/support/api.ts';
import { useFixture } from '#test/support/fixture.ts';
import { createTestDatabase } from '#test/support/stack.ts';
import {
  createEmptyDatabase,
  readRelease,
  rowsOfTable,
  runScript,
  tablesOf,
  writeRelease,
} from '#test/support/release.ts';

// `npm run release-dump` writes the dump first (docs/release.md): as of the newest migration, or of the one that is named.
const { WRITE_RELEASE_DUMP: until } = process.env;
if (until !== undefined) beforeAll(() => writeRelease(until === 'newest' ? newestMigration : until));

/** What the tables of entities do not tell of a schema: one line for each thing, in order. */
const catalogue = `
  select 'column ' || attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attstorage::text ||
    case when attnotnull then ' not null' else '' end || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
  from pg_attribute join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname !~ '^clicks_y' and attnum > 0 and not attisdropped
  union all select 'table ' || relname || ' ' || relpersistence::text || relreplident::text || coalesce(reloptions::text, '')
  from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname !~ '^clicks_y'
  union all select indexdef from pg_indexes where schemaname = 'public' and tablename !~ '^clicks_y'
  union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
  from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' and conrelid::regclass::text !~ '^clicks_y'
  union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select regexp_replace(pg_get_functiondef(p.oid), '\\s+', ' ', 'g') ||
    coalesce((select ' public' from unnest(coalesce(proacl, acldefault('f', proowner))) g where g::text ~ '^=X'), '')
  from pg_proc p where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by 1`;

async function catalogueOf(url: string): Promise<string[]> {
  const db = createDatabase({ url });
  try {
    const { rows } = await db.query<{ line: string }>(`select line from (${catalogue}) as all_lines (line)`);
    return rows.map(({ line }) => line);
  } finally {
    await db.close();
  }
}

type Rows = Record<string, string[]>;

/** Tables that a migration after that release drops: nothing reads them any more. */
const dropped = new Set(['answered_scans', 'unrecorded_scans']);

/** The database of the last release, migrated, with the rows of each table before and after. */
const upgrade = useFixture(async () => {
  const { facts, sql } = readRelease();
  const database = await createEmptyDatabase();
  await runScript(database.url, sql);
  const db = createDatabase({ url: database.url });
  const tables = [...(await tablesOf(db))].filter(([table]) => !dropped.has(table));
  const readAll = async (): Promise<Rows> => {
    const rows: Rows = {};
    for (const [table, columns] of tables) rows[table] = await rowsOfTable(db, table, columns);
    return rows;
  };
  const before = await readAll();
  const applied = await migrate(database.url);
  const after = await readAll();
  return {
    facts,
    url: database.url,
    before,
    after,
    applied,
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
});

describe('a database of the last release', () => {
  test('a database of the last release has rows in every table', () => {
    const { before } = upgrade;
    expect(Object.keys(before).filter((table) => before[table]!.length === 0)).toEqual([]);
  });

  test('a database of the last release gets exactly the migrations that came after it', () => {
    const names = migrations.map(({ name }) => name);
    expect(upgrade.applied).toEqual(names.slice(names.indexOf(upgrade.facts.migration) + 1));
  });

  test('migrations keep every row of the last release, each column with its value', () => {
    const { before, after } = upgrade;
    for (const [table, rows] of Object.entries(before)) {
      const rest = new Set(after[table]);
      const lost = rows.filter((row) => !rest.has(row));
      expect({ table, lost }).toEqual({ table, lost: [] });
      expect(after[table]!.length).toBeGreaterThanOrEqual(rows.length);
    }
  });

  test('a migrated database of the last release equals the entities', async () => {
    expect(await compareSchema(upgrade.url)).toEqual({ pending: [], statements: [] });
  });

  test('a migrated database of the last release equals a new one, with functions, triggers, rights and storage', async () => {
    await using fresh = await createTestDatabase();
    const made = await catalogueOf(fresh.url);
    expect(made.length).toBeGreaterThan(500);
    expect(await catalogueOf(upgrade.url)).toEqual(made);
  });

  test('the API answers for data of the last release as that release did', async () => {
    const { facts } = upgrade;
    const besides = { databaseUrl: upgrade.url, organization: { id: '', botId: '', folderId: '', key: facts.key } };
    const api = await createTestApi({ besides, clock: () => new Date(facts.takenAt) });
    try {
      for (const [path, body] of Object.entries(facts.answers)) {
        const answer = await api.call('GET', path);
        expect({ path, ...answer }).toMatchObject({ path, status: 200, body });
      }
    } finally {
      await api[Symbol.asyncDispose]();
    }
  });
});
