import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { claim, enqueue, parkAfterAttempts, settle } from '#db/outbox.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { fail, outboxHealth, release } from '#db/outbox-rows.ts';
import { emOf } from '#test/support/entity-managers.ts';

const kind = 'threat-scan';

const db = useTestDatabase();
beforeEach(() => db.query('truncate outbox'));

const ids = (count: number): string[] => Array.from({ length: count }, () => uuidv7());
const take = (limit = 10) => claim(db, kind, { limit, leaseMs: 60_000 });
const makeDue = () => db.query('update outbox set due_at = now()');

describe('the outbox', () => {
  test('the outbox hands out waiting rows, oldest first, each row to one claimant', async () => {
    const subjects = ids(30);
    for (const subject of subjects) await enqueue(db, kind, [subject]);
    const taken = await Promise.all([take(), take(), take()]);
    expect(taken.map((rows) => rows.length)).toEqual([10, 10, 10]);
    expect(new Set(taken.flat().map((row) => row.subjectId)).size).toBe(30);
    for (const rows of taken) {
      const places = rows.map((row) => subjects.indexOf(row.subjectId));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
    expect(await take()).toEqual([]);
  });

  test('the outbox keeps one row for a subject, however often the subject is enqueued', async () => {
    const [subject] = ids(1);
    await enqueue(db, kind, [subject!, subject!]);
    await enqueue(db, kind, [subject!]);
    expect(await take()).toMatchObject([{ subjectId: subject, generation: 2, attempts: 1 }]);
  });

  test('settling deletes a row; a row that was enqueued again meanwhile is due at once', async () => {
    const [done, renamed] = ids(2);
    await enqueue(db, kind, [done!, renamed!]);
    const rows = await take();
    await enqueue(db, kind, [renamed!]);
    expect(await take()).toEqual([]);
    await settle(db, rows);
    expect(await take()).toMatchObject([{ subjectId: renamed, generation: 2, attempts: 1 }]);
  });

  test('a row whose lease has expired goes to the next claimant', async () => {
    await enqueue(db, kind, ids(1));
    expect(await claim(db, kind, { limit: 1, leaseMs: 0 })).toMatchObject([{ attempts: 1 }]);
    expect(await claim(db, kind, { limit: 1, leaseMs: 0 })).toMatchObject([{ attempts: 2 }]);
  });

  test('a failure waits longer each time and keeps its reason', async () => {
    await enqueue(db, kind, ids(1));
    const gaps: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await fail(emOf(db), await take(), `reason ${attempt}`);
      const { rows } = await db.query<{ gap: number; error: string }>(
        `select round(extract(epoch from due_at - now()))::int as gap, last_error as error from outbox`,
      );
      gaps.push(rows[0]!.gap);
      expect(rows[0]!.error).toBe(`reason ${attempt}`);
      await makeDue();
    }
    expect(gaps).toEqual([1, 2, 4]);
  });

  test('a row that fails twenty times is parked, and tried again once its subject is enqueued again', async () => {
    const [poison, healthy] = ids(2);
    await enqueue(db, kind, [poison!]);
    for (let attempt = 1; attempt <= parkAfterAttempts; attempt += 1) {
      await fail(emOf(db), await take(), 'no');
      await makeDue();
    }
    await enqueue(db, kind, [healthy!]);
    expect(await take()).toMatchObject([{ subjectId: healthy }]);
    expect(await outboxHealth(emOf(db))).toMatchObject({ waiting: 1, parked: 1 });
    await enqueue(db, kind, [poison!]);
    expect(await take()).toMatchObject([{ subjectId: poison, attempts: 1 }]);
    expect(await outboxHealth(emOf(db))).toMatchObject({ waiting: 2, parked: 0 });
  });

  test('a row that is given back counts no attempt', async () => {
    await enqueue(db, kind, ids(1));
    await release(emOf(db), await take());
    expect(await take()).toMatchObject([{ attempts: 1 }]);
  });

  test('enqueueing and settling the same subjects in opposite orders never deadlock', async () => {
    const subjects = ids(200);
    await enqueue(db, kind, subjects);
    for (let round = 0; round < 10; round += 1) {
      await makeDue();
      const rows = await take(200);
      await Promise.all([
        settle(db, rows.toReversed()),
        db.transaction((tx) => enqueue(tx, kind, subjects.toReversed())),
        db.transaction((tx) => enqueue(tx, kind, subjects)),
      ]);
    }
    expect((await outboxHealth(emOf(db))).waiting).toBe(200);
  });

  test('the outbox reports the age of its oldest waiting row', async () => {
    expect(await outboxHealth(emOf(db))).toEqual({ waiting: 0, parked: 0, oldestMs: 0 });
    await enqueue(db, kind, ids(1));
    await db.query(`update outbox set created_at = now() - interval '5 seconds'`);
    expect((await outboxHealth(emOf(db))).oldestMs).toBeGreaterThanOrEqual(4_999);
  });
});
