import { expect, test } from 'vitest';
import { createEntityManager } from '#db/connection/orm.ts';
import { watchWorkerScanners } from '#db/health/worker-scanners.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';
import { insertWorker } from '#test/support/workers.ts';

const db = useTestDatabase();

test('the kind is known while all workers that live have the same, and stays known without any', async () => {
  const changes: (string | undefined)[] = [];
  const em = createEntityManager(db);
  await insertWorker(db, { agoMs: 31_000, scanner: 'of a dead worker' });
  const watch = await watchWorkerScanners({
    em,
    log: silent,
    everyMs: 10,
    onChange: (kind) => void changes.push(kind),
  });
  try {
    expect(watch.kind()).toBeUndefined();
    await insertWorker(db, { scanner: 'web-risk' });
    await eventually(() => watch.kind() === 'web-risk');
    await insertWorker(db, { scanner: 'list 00' });
    await eventually(() => changes.length === 2);
    expect(watch.kind()).toBeUndefined();
    await db.query(`delete from workers where scanner = 'web-risk'`);
    await eventually(() => watch.kind() === 'list 00');
    // Of an earlier release: it does not say.
    await insertWorker(db);
    await eventually(() => changes.length === 4);
    await db.query('delete from workers where scanner is null');
    await eventually(() => changes.length === 5);
    await db.query('delete from workers');
    await insertWorker(db, { agoMs: 31_000 });
    // Several reads later.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(watch.kind()).toBe('list 00');
    expect(changes).toEqual(['web-risk', undefined, 'list 00', undefined, 'list 00']);
  } finally {
    watch.close();
  }
});
