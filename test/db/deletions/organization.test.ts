import { expect, test } from 'vitest';
import { removeBelongings } from '#db/deletions/organization.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

// Removed by statements of their own: links, files, and the last rows.
const removedElsewhere = new Set(['files', 'memberships', 'organizations', 'short_links']);

test('every table that refers to an organization is emptied by its deletion', async () => {
  const { rows } = await db.query<{ name: string }>(
    `select distinct c.conrelid::regclass::text as name from pg_constraint c
     where c.contype = 'f' and c.confrelid = 'organizations'::regclass and c.confdeltype <> 'c' and c.conparentid = 0`,
  );
  const statements: string[] = [];
  const recording = {
    async query(text: unknown) {
      statements.push(String(text));
      return { rows: [], rowCount: 0 };
    },
  };
  await removeBelongings(recording as unknown as typeof db, '', 1);
  const missing = rows
    .map(({ name }) => name)
    .filter((name) => !removedElsewhere.has(name))
    .filter((name) => !statements.some((text) => new RegExp(`delete from ${name}\\b`).test(text)));
  expect(rows.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
