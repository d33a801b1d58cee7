import { beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { compareSchema, migrate } from '#db/connection/migrate.ts';
import { migrations } from '#db/migrations/index.ts';
import { newestMigration } from '#db/migrations/newest.ts';
import { createTestApi } from '#test/support/api.ts';
import { useFixture } from '#test/support/fixture.ts';
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

type Rows = Record<string, string[]>;

/** The database of the last release, migrated, with the rows of each table before and after. */
const upgrade = useFixture(async () => {
  const { facts, sql } = readRelease();
  const database = await createEmptyDatabase();
  await runScript(database.url, sql);
  const db = createDatabase({ url: database.url });
  const tables = await tablesOf(db);
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
