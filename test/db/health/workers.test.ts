import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { listWorkers, storeWorkerBeat } from '#db/health/workers.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { insertWorker } from '#test/support/workers.ts';

const db = useTestDatabase();

test('a worker takes the place of one that fell silent before it began, of its own machine first', async () => {
  const em = emOf(db);
  const beat = (id: string, mayReplace: boolean) =>
    storeWorkerBeat(em, {
      id,
      host: 'here',
      pid: 1,
      version: '0',
      takesTasks: true,
      diskFreeBytes: null,
      diskBytes: null,
      scanner: null,
      lastTaskAgoMs: 0,
      mayReplace,
    });
  const idsOf = async () => (await listWorkers(em)).map(({ id }) => id).toSorted();
  const [elsewhere, mine] = [await insertWorker(db, { agoMs: 60_000 }), await insertWorker(db, { agoMs: 40_000 })];
  await db.query(`update workers set host = 'here' where id = $1`, [mine]);
  const first = randomUUID();
  expect(await beat(first, true)).toBe(true);
  expect(await idsOf()).toEqual([elsewhere, first].toSorted());
  // One return is for one worker: the other one is still missing.
  expect(await beat(first, false)).toBe(false);
  expect(await idsOf()).toEqual([elsewhere, first].toSorted());
  expect(await beat(randomUUID(), true)).toBe(true);
  // It began before this one fell silent.
  await db.query(`update workers set started_at = now() - interval '1 hour'`);
  const later = await insertWorker(db, { agoMs: 31_000 });
  expect(await beat(first, true)).toBe(false);
  expect(await idsOf()).toContain(later);
});
