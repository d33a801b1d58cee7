import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { Import } from '#db/entities/imports.ts';
import { insertImportRows, storeRowResults } from '#db/imports/imports.ts';
import { requeueSilent, silenceMs } from '#db/outbox-rows.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

async function createImport({ rows = 3 } = {}): Promise<string> {
  const { id: organizationId } = await createOrganization(db);
  const id = uuidv7();
  const item = { createdBy: uuidv7(), bytes: 9, format: 'csv' as const, header: ['url'], total: rows };
  return emOf(db).transactional(async (em) => {
    em.create(Import, { id, organization: organizationId, ...item, dueAt: new Date(Date.now() + silenceMs) });
    await em.flush();
    const cells = Array.from({ length: rows }, (_, index) => [`https://example.com/${index}`]);
    await insertImportRows(em, id, 1, cells);
    return id;
  });
}
const finish = (id: string) =>
  emOf(db).transactional(async (em) => (await em.findOneOrFail(Import, { id })).finish('completed', new Date()));
const age = (id: string, days: number) =>
  db.query(`update imports set finished_at = now() - $2 * interval '1 day' where id = $1`, [id, days]);
const rowsOf = async (id: string) =>
  (await db.query('select from import_rows where import_id = $1', [id])).rowCount ?? 0;

test('imports are removed 30 days after their end, a few rows at a time (12.4)', async () => {
  const [old, recent, open] = [await createImport({ rows: 5 }), await createImport(), await createImport()];
  await finish(old);
  await age(old, 30.01);
  await finish(recent);
  await age(recent, 29.9);
  let turns = 0;
  while (await emOf(db).getRepository(Import).forgetOld(2, new Date())) turns += 1;
  expect(turns).toBe(4);
  expect(await emOf(db).findOne(Import, { id: old })).toBeNull();
  expect([await rowsOf(old), await rowsOf(recent), await rowsOf(open)]).toEqual([0, 3, 3]);
});

test('a result of a row is stored once, and counted once', async () => {
  const id = await createImport();
  const result = { shortLinkId: null, error: null };
  await storeRowResults(db, id, [{ row: 1, state: 'imported', ...result }]);
  await storeRowResults(db, id, [
    { row: 1, state: 'failed', ...result },
    { row: 3, state: 'skipped', ...result, error: 'there' },
  ]);
  expect(await emOf(db).findOne(Import, { id })).toMatchObject({
    state: 'running',
    imported: 1,
    skipped: 1,
    failed: 0,
  });
  expect(await emOf(db).getRepository(Import).listRows(id, { limit: 9, page: 0 })).toMatchObject([
    { row: 1, state: 'imported', shortLinkId: null, error: null },
    { row: 3, state: 'skipped', shortLinkId: null, error: 'there' },
  ]);
});

test('only an import that no activity has touched in time is enqueued again', async () => {
  const [silent, heard, done] = [await createImport(), await createImport(), await createImport()];
  await finish(done);
  await db.query('delete from outbox');
  await db.query(`update imports set due_at = now() - interval '1 second' where id = $1`, [silent]);
  expect(await requeueSilent(emOf(db), 'import', 10)).toBe(1);
  const { rows } = await db.query<{ id: string }>(`select subject_id as id from outbox where kind = 'import'`);
  expect(rows).toEqual([{ id: silent }]);
  expect(await requeueSilent(emOf(db), 'import', 10)).toBe(0);
  expect(heard).not.toBe(silent);
});
