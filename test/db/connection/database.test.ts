import { describe, expect, it } from 'vitest';
import { createDatabase, type Sql } from '#db/connection/database.ts';
import { createTestDatabase } from '#test/support/stack.ts';

describe('close', () => {
  it('waits for statements that wait for a connection', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url, poolMax: 2 });
    const answers = Promise.all(Array.from({ length: 6 }, () => db.query('select pg_sleep(0.05)')));
    await db.close();
    expect(await answers).toHaveLength(6);
    await expect(db.query('select 1')).rejects.toThrow(/end/);
  });
});

describe('transaction', () => {
  it('runs again what the database ended to resolve a deadlock', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    await db.query('create table pairs (id int primary key, count int not null)');
    await db.query('insert into pairs values (1, 0), (2, 0)');
    const bothHold = Promise.withResolvers<void>();
    let holding = 0;
    const inOrder = (first: number, second: number) => async (tx: Sql) => {
      await tx.query('update pairs set count = count + 1 where id = $1', [first]);
      holding += 1;
      if (holding === 2) bothHold.resolve();
      await bothHold.promise;
      await tx.query('update pairs set count = count + 1 where id = $1', [second]);
    };
    await Promise.all([db.transaction(inOrder(1, 2)), db.transaction(inOrder(2, 1))]);
    const { rows } = await db.query('select id, count from pairs order by id');
    await db.close();
    expect(holding).toBe(3);
    expect(rows).toEqual([
      { id: 1, count: 2 },
      { id: 2, count: 2 },
    ]);
  });

  it('rolls back and rethrows what else fails', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    let runs = 0;
    const failing = db.transaction(async (tx) => {
      runs += 1;
      await tx.query('create table half_made (id int)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const { rows } = await db.query(`select to_regclass('half_made') as made`);
    await db.close();
    expect(runs).toBe(1);
    expect(rows).toEqual([{ made: null }]);
  });
});
