import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { enqueue } from '#db/outbox.ts';
import { createDispatcher } from '#relay/dispatcher.ts';
import { eventually } from '#test/support/eventually.ts';
import { relayContext } from '#test/support/relay.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test('a row that comes while calls of many others are under way does not wait for them', async () => {
  const slow = Array.from({ length: 40 }, () => uuidv7());
  const late = uuidv7();
  const answered = Promise.withResolvers<void>();
  const called: string[] = [];
  const dispatcher = createDispatcher(
    {
      kind: 'domain',
      plan: async (rows) =>
        rows.map((row) => ({
          rows: [row],
          async run() {
            called.push(row.subjectId);
            if (row.subjectId !== late) await answered.promise;
          },
        })),
      requeue: async () => ({ requeued: 0, more: false }),
    },
    relayContext({ db, startWorkflow: () => Promise.reject(new Error('not asked')) }),
  );
  await db.transaction((tx) => enqueue(tx, 'domain', slow));
  dispatcher.wake();
  await eventually(() => called.length > 0);
  await db.transaction((tx) => enqueue(tx, 'domain', [late]));
  dispatcher.wake();
  await eventually(() => called.includes(late));
  // Sixteen at a time, of which none has been answered.
  expect(called.filter((id) => id !== late)).toHaveLength(16);
  answered.resolve();
  await eventually(async () => (await db.query(`select from outbox where kind = 'domain'`)).rowCount === 0);
  await dispatcher.stop();
  expect(called.toSorted()).toEqual([...slow, late].toSorted());
});
