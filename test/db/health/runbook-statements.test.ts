import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { lockJournal } from '#db/clicks/journal-lock.ts';
import { insertRow } from '#test/support/rows.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'operations.md'), 'utf8');
const statements = [...page.matchAll(/psql "\$DATABASE_URL" -c "([^"\\]+)"/g)].map(([, statement]) => statement!);

test('every statement of the runbooks runs on the schema of this version', async () => {
  expect(statements.length).toBeGreaterThan(10);
  for (const statement of statements) {
    const text = statement.replace('<id>', uuidv7());
    await expect(db.query(text)).resolves.toHaveProperty('rowCount');
  }
});

test('the runbook of journals that are left lists none that an edge ships', async () => {
  const [left, shipped] = [uuidv7(), uuidv7()];
  for (const id of [left, shipped]) await insertRow(db, 'journals', { id });
  const client = await db.pool.connect();
  try {
    expect(await lockJournal(client, shipped)).toBe(true);
    const { rows } = await db.query(statements.find((statement) => statement.includes('from journals where'))!);
    expect(rows.map(({ id }) => id)).toEqual([left]);
  } finally {
    client.release(true);
  }
});
