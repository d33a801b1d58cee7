// @module-tag slow
import pg from 'pg';
import { describe, expect, it, type Mock, vi } from 'vitest';
import { createDatabase, type Database, type Sql, type TransactionOptions } from '#db/connection/database.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { enqueue } from '#db/outbox.ts';
import { eventually } from '#test/support/eventually.ts';
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
  it('runs again after the database has ended it to resolve a deadlock', async () => {
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
    // The transaction that was ended may lock its first row again before the other one wakes up: then there is a second deadlock.
    expect(holding).toBeGreaterThan(2);
    expect(rows).toEqual([
      { id: 1, count: 2 },
      { id: 2, count: 2 },
    ]);
  });

  it('rolls back and rethrows any other error', async () => {
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

describe('withSavepoint', () => {
  const insert = (id: number) => ({ text: 'insert into made (id) values ($1)', values: [id] });

  it('undoes a part that fails, and the rest is stored', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url, poolMax: 1 });
    await db.query('create table made (id int primary key)');
    await db.transaction(async (tx) => {
      await tx.query(insert(1));
      const refused = withSavepoint(tx, async () => {
        await tx.query(insert(2));
        await withSavepoint(tx, () => tx.query(insert(3)));
        await tx.query(insert(1));
      });
      await expect(refused).rejects.toMatchObject({ code: '23505' });
      const broken = withSavepoint(tx, async () => {
        await tx.query(insert(4));
        throw new Error('no');
      });
      await expect(broken).rejects.toThrow('no');
      await withSavepoint(
        tx,
        () => tx.query(insert(5)),
        () => false,
      );
      await tx.query(insert(6));
    });
    const { rows } = await db.query('select id from made order by id');
    await db.close();
    expect(rows).toEqual([{ id: 1 }, { id: 6 }]);
  });
});

describe('transaction: plans', () => {
  it.each<[TransactionOptions['plans'] | undefined, object]>([
    [undefined, { plans: 'force_generic_plan', scans: 'on', jit: 'on' }],
    ['generic', { plans: 'force_generic_plan', scans: 'on', jit: 'on' }],
    ['indexes-only', { plans: 'force_generic_plan', scans: 'off', jit: 'on' }],
    ['custom', { plans: 'force_custom_plan', scans: 'on', jit: 'off' }],
  ])('%s sets how statements are planned until the end of the transaction', async (plans, expected) => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url, poolMax: 1 });
    const read = async (sql: Sql) => {
      const { rows } = await sql.query<Record<string, string>>(
        `select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans,
           current_setting('jit') as jit`,
      );
      return rows[0]!;
    };
    const before = await read(db);
    const during = await db.transaction(read, plans === undefined ? {} : { plans });
    const after = await read(db);
    await db.close();
    expect(during).toEqual({ ...before, ...expected });
    expect(after).toEqual(before);
  });

  it('a statement may take longer than the pool allows, where the transaction says so', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url, statementTimeoutMs: 50 });
    const sleep = (tx: Sql) => tx.query('select pg_sleep(0.2)');
    await expect(db.transaction(sleep)).rejects.toMatchObject({ code: '57014' });
    await db.transaction(sleep, { statementTimeoutMs: 0 });
    await expect(db.transaction(sleep, { statementTimeoutMs: 20 })).rejects.toMatchObject({ code: '57014' });
    await db.close();
  });

  it('a statement waits for a lock as long as the transaction says', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    await db.transaction(async (holder) => {
      await holder.query('lock table tags');
      const waiting = db.transaction((tx) => tx.query('lock table tags'), { lockTimeoutMs: 10 });
      await expect(waiting).rejects.toMatchObject({ code: '55P03' });
    });
    await db.close();
  });

  it('all statements of a snapshot read the moment of the first one, and none writes', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    const count = async (sql: Sql) => (await sql.query('select from installation')).rowCount;
    const write = (sql: Sql) => sql.query(`insert into installation (key, value) values ('a', '1')`);
    await db.transaction(
      async (tx) => {
        const before = await count(tx);
        await write(db);
        expect(await count(tx)).toBe(before);
        expect(await count(db)).toBe(before! + 1);
        await expect(write(tx)).rejects.toMatchObject({ code: '25006' });
      },
      { isSnapshot: true },
    );
    await db.close();
  });

  it('begins with one statement, whatever its options', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await db.transaction((tx) => tx.query('select 1'), {
        plans: 'indexes-only',
        statementTimeoutMs: 1_000,
        lockTimeoutMs: 1_000,
        isSnapshot: true,
      });
      expect(query.mock.calls.map(([text]) => text)).toEqual([
        expect.stringMatching(/^begin .+; /),
        'select 1',
        'commit',
      ]);
    } finally {
      query.mockRestore();
      await db.close();
    }
  });
});

describe('transaction: notifications after the commit', () => {
  async function withCount(work: (db: Database, onCommitted: Mock<() => void>) => Promise<void>): Promise<void> {
    await using database = await createTestDatabase();
    const onCommitted = vi.fn<() => void>();
    const db = createDatabase({ url: database.url, onCommitted });
    try {
      await work(db, onCommitted);
    } finally {
      await db.close();
    }
  }
  const subject = '018f0000-0000-7000-8000-000000000001';

  it('enqueue notifies the relays once, after the commit', () =>
    withCount(async (db, onCommitted) => {
      await db.transaction(async (tx) => {
        await enqueue(tx, 'webhook', [subject]);
        await enqueue(tx, 'domain', [subject]);
        expect(onCommitted).not.toHaveBeenCalled();
      });
      expect(onCommitted).toHaveBeenCalledOnce();
    }));

  it('a transaction that enqueues nothing notifies nothing', () =>
    withCount(async (db, onCommitted) => {
      await db.transaction(async (tx) => {
        await enqueue(tx, 'webhook', []);
        await tx.query('select 1');
      });
      expect(onCommitted).not.toHaveBeenCalled();
    }));

  it('a transaction that fails notifies nothing', () =>
    withCount(async (db, onCommitted) => {
      const failing = db.transaction(async (tx) => {
        await enqueue(tx, 'webhook', [subject]);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(onCommitted).not.toHaveBeenCalled();
    }));

  it('a commit that PostgreSQL answers by rolling back notifies nothing', () =>
    withCount(async (db, onCommitted) => {
      await db.transaction(async (tx) => {
        await enqueue(tx, 'webhook', [subject]);
        await tx.query('select 1 / 0').catch(() => undefined);
      });
      expect((await db.query('select from outbox')).rowCount).toBe(0);
      expect(onCommitted).not.toHaveBeenCalled();
    }));

  it('a transaction that runs again after a deadlock notifies once', () =>
    withCount(async (db, onCommitted) => {
      let runs = 0;
      await db.transaction(async (tx) => {
        runs += 1;
        await enqueue(tx, 'webhook', [subject]);
        if (runs === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      });
      expect(runs).toBe(2);
      expect(onCommitted).toHaveBeenCalledOnce();
    }));

  it('a statement outside of a transaction notifies when it is done', () =>
    withCount(async (db, onCommitted) => {
      await enqueue(db, 'webhook', [subject]);
      expect(onCommitted).toHaveBeenCalledOnce();
    }));

  it('other processes hear of a hundred commits in a few notifications, also where the database is closed at once', async () => {
    await using database = await createTestDatabase();
    let heard = 0;
    const listener = createListener({
      url: database.url,
      channels: [channels.outbox],
      onNotification: () => (heard += 1),
      onGap: () => undefined,
      log: { info: () => undefined, warn: () => undefined },
    });
    await listener.start();
    const db = createDatabase({ url: database.url });
    await Promise.all(Array.from({ length: 100 }, () => db.transaction((tx) => enqueue(tx, 'webhook', [subject]))));
    await db.close();
    await eventually(
      () => heard,
      (count) => count > 0,
    );
    await listener.close();
    expect(heard).toBeLessThan(50);
  });
});

describe('how long a statement waits for a connection', () => {
  it.each([
    ['postgres://waymark@127.0.0.1:1/waymark', 5_000],
    ['postgres://waymark@127.0.0.1:1/waymark?sslmode=require&connect_timeout=30', 30_000],
    ['postgres://waymark@127.0.0.1:1/waymark?connect_timeout=soon', 5_000],
  ])('%s: %i ms', async (url, milliseconds) => {
    const db = createDatabase({ url });
    expect(db.pool.options.connectionTimeoutMillis).toBe(milliseconds);
    await db.close();
  });
});
