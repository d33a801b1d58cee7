import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { removeBelongings } from '#db/deletions/organization.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

// Removed by statements of their own: links, files, and the last rows.
const removedElsewhere = new Set(['files', 'memberships', 'organizations', 'short_links']);

test('every table that refers to an organization is emptied by its deletion', async () => {
  const { rows } = await db.query<{ name: string }>(
    `select distinct c.conrelid::regclass::text as name from pg_constraint c
     where c.contype = 'f' and c.confrelid = 'organizations'::regclass and c.confdeltype <> 'c' and c.conparentid = 0`,
  );
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await removeBelongings(emOf(db), uuidv7(), 1);
  const statements = query.mock.calls.map(([text]) => text);
  query.mockRestore();
  // Without foreign keys.
  for (const name of ['activities', 'request_log']) rows.push({ name });
  const missing = rows
    .map(({ name }) => name)
    .filter((name) => !removedElsewhere.has(name))
    .filter((name) => !statements.some((text) => new RegExp(`delete from "${name}"`).test(text)));
  expect(rows.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
