// @module-tag slow

import { expect, test } from 'vitest';
import { takeTurn } from '#activities/turn.ts';
import { activityEnvironment } from '#test/support/activities.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test('heartbeats of a turn tell how far it has come, and which process holds a lock that it waits for', async () => {
  const environment = activityEnvironment();
  const holder = await db.pool.connect();
  const told: (string | undefined)[] = [];
  try {
    await holder.query('begin');
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    await holder.query('lock table short_links in share row exclusive mode');
    const waits = new Promise<string>((resolve) =>
      environment.on('heartbeat', (details: { progress?: string; waits?: string } | undefined) => {
        if (details?.waits === undefined) return;
        expect(details.progress).toBe('2 of 6 rows');
        resolve(details.waits);
      }),
    );
    const options = { turnMs: 60_000, sql: db, onWaits: async (text: string | undefined) => void told.push(text) };
    const turn = environment.run(() =>
      takeTurn(options, async ({ batch, show }) => {
        show('2 of 6 rows');
        await batch(() => db.query(`update short_links set slug = slug`));
      }),
    );
    expect(await waits).toMatch(
      new RegExp(String.raw`^\d+ s for a lock of .+ \(process ${rows[0]!.pid}, idle in transaction for \d+ s\)$`),
    );
    await holder.query('rollback');
    await turn;
  } finally {
    holder.release();
  }
  expect(told[0]).toContain('for a lock of');
});
