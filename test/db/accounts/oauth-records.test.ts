import { expect, test } from 'vitest';
import { findRecord, storeRecord } from '#db/accounts/oauth-records.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { secondsAgo } from '#test/support/rows.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test('where all places of records without an app are taken, the one that would end first makes room, and none that was let in', async () => {
  const store = (idHash: string, seconds: number) =>
    emOf(db).transactional((em) =>
      storeRecord(
        em,
        {
          kind: 'Client',
          idHash,
          appId: null,
          payloadSealed: Buffer.alloc(1),
          createdAt: new Date(),
          expiresAt: secondsAgo(-seconds),
        },
        2,
      ),
    );
  await store('allowed', 90 * 86_400);
  await store('soon', 600);
  await store('later', 3_600);
  await store('newest', 3_600);
  const isThere = async (idHash: string) => (await findRecord(emOf(db), 'Client', idHash)) !== undefined;
  expect(await Promise.all(['allowed', 'soon', 'later', 'newest'].map(isThere))).toEqual([true, false, true, true]);
});
