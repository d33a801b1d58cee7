import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { heldKeys, lockJournal, lockKeyOf, unlockJournal } from '#db/clicks/journal-lock.ts';
import { createTestDatabase } from '#test/support/stack.ts';

test('a journal is locked by one connection at a time, and other connections see that it is', async () => {
  await using database = await createTestDatabase();
  const db = createDatabase({ url: database.url });
  const [one, other] = [await db.pool.connect(), await db.pool.connect()];
  const id = uuidv7();
  const isHeld = async () =>
    (await db.query<{ isHeld: boolean }>(`select ${lockKeyOf('$1')} in (${heldKeys}) as "isHeld"`, [id])).rows[0]!
      .isHeld;
  expect(await lockJournal(one, id)).toBe(true);
  expect(await lockJournal(other, id)).toBe(false);
  expect(await isHeld()).toBe(true);
  await unlockJournal(one, id);
  expect(await isHeld()).toBe(false);
  expect(await lockJournal(other, id)).toBe(true);
  one.release(true);
  other.release(true);
  await db.close();
});
