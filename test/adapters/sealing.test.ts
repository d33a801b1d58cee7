import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { reseal, UnreadableError } from '#commands/reseal.ts';
import { type SealedColumn, sealedColumns } from '#db/sealed-columns.ts';
import { rowContext, SealingError, type SealingFailure } from '#core/secrets/sealing.ts';
import {
  moveFingerprint,
  requireSecretKey,
  SecretKeyError,
  storedFingerprint,
} from '#db/connection/secret-fingerprint.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const earlier = 'an earlier secret key, long enough to be one';
const later = 'a later secret key, which is long enough as well';

function failure(work: () => unknown): SealingFailure | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof SealingError) return error.reason;
    throw error;
  }
  return undefined;
}

describe('sealing', () => {
  const sealing = createSealing([earlier]);

  test('sealing opens every value that it sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), (plaintext, purpose, context) => {
        const sealed = sealing.seal(purpose, plaintext, context);
        return sealing.open(purpose, sealed, context).equals(plaintext);
      }),
    );
    expect(sealing.open('text', sealing.seal('text', 'Grüße')).toString()).toBe('Grüße');
  });

  test('two sealings of one value differ, and each is 37 bytes longer than the value', () => {
    const sealed = Array.from({ length: 100 }, () => sealing.seal('webhook', 'secret', 'id'));
    expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(100);
    expect(sealed[0]).toHaveLength('secret'.length + 37);
    expect(sealed[0]!.includes('secret')).toBe(false);
  });

  test('a changed, added or missing byte makes a sealed value unreadable', () => {
    const sealed = sealing.seal('webhook', 'a secret', 'id');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index]! ^= 1;
      const reason = index === 0 ? 'malformed' : index < 9 ? 'unknown-key' : 'refused';
      expect([index, failure(() => sealing.open('webhook', changed, 'id'))]).toEqual([index, reason]);
    }
    expect(failure(() => sealing.open('webhook', Buffer.concat([sealed, Buffer.of(0)]), 'id'))).toBe('refused');
    expect(failure(() => sealing.open('webhook', sealed.subarray(0, -1), 'id'))).toBe('refused');
    expect(failure(() => sealing.open('webhook', sealed.subarray(0, 30), 'id'))).toBe('malformed');
    expect(failure(() => sealing.open('webhook', Buffer.alloc(0), 'id'))).toBe('malformed');
  });

  test('another purpose or context does not open a sealed value', () => {
    const sealed = sealing.seal('webhook', 'a secret', 'id');
    expect(failure(() => sealing.open('idempotency', sealed, 'id'))).toBe('refused');
    expect(failure(() => sealing.open('webhook', sealed, 'other id'))).toBe('refused');
    expect(failure(() => sealing.open('webhook', sealed))).toBe('refused');
    expect(rowContext('a', 'b,c')).not.toBe(rowContext('a,b', 'c'));
  });

  test('the first key seals and every listed key opens; an unlisted key is named in the error', () => {
    const sealed = sealing.seal('webhook', 'a secret');
    const both = createSealing([later, earlier]);
    expect(both.open('webhook', sealed).toString()).toBe('a secret');
    const renewed = both.seal('webhook', 'a secret');
    expect(renewed.subarray(0, 9).equals(both.currentPrefix)).toBe(true);
    expect(createSealing([later]).open('webhook', renewed).toString()).toBe('a secret');
    expect(failure(() => sealing.open('webhook', renewed))).toBe('unknown-key');
  });

  test('each purpose and secret key derives a key of its own, which is no sealing key and no fingerprint', () => {
    const both = createSealing([later, earlier]);
    const [first, second] = both.deriveKeys('cookie');
    expect(first).toHaveLength(32);
    expect(sealing.deriveKeys('cookie')).toEqual([second]);
    expect(first!.equals(second!)).toBe(false);
    expect(both.deriveKeys('link password')[0]!.equals(first!)).toBe(false);
    expect(both.fingerprints).toEqual([createSealing([later]).fingerprints[0], sealing.fingerprints[0]]);
    expect(both.fingerprints[0]).toMatch(/^[0-9a-f]{16}$/);
  });

  test('sealing does not start without a key', () => {
    expect(() => createSealing([])).toThrow('secret key');
  });
});

describe('a database and its key', () => {
  const column: SealedColumn = { table: 'secrets', key: ['id', 'part'], column: 'sealed', purpose: 'test' };
  const db = useTestDatabase();
  beforeAll(async () => {
    await db.query('create table secrets (id int, part text, sealed bytea, primary key (id, part))');
  });

  const fill = async (count: number, keys: readonly string[]): Promise<void> => {
    const sealing = createSealing(keys);
    await db.query('truncate secrets');
    for (let id = 0; id < count; id += 1) {
      const sealed = sealing.seal(column.purpose, `secret ${id}`, rowContext(String(id), 'a'));
      await db.query('insert into secrets values ($1, $2, $3), ($1, $4, null)', [id, 'a', sealed, 'b']);
    }
  };
  const setUp = (key: string): Promise<void> => moveFingerprint(db, createSealing([key]).fingerprints[0]!);
  const readable = async (keys: readonly string[]): Promise<number> => {
    const sealing = createSealing(keys);
    const { rows } = await db.query<{ id: number; part: string; sealed: Buffer }>(
      'select * from secrets where sealed is not null',
    );
    return rows.filter(({ id, part, sealed }) => {
      try {
        return sealing.open(column.purpose, sealed, rowContext(String(id), part)).toString() === `secret ${id}`;
      } catch {
        return false;
      }
    }).length;
  };

  test('the first process stores its fingerprint; a process without that key is refused with the remedy', async () => {
    expect(await storedFingerprint(db)).toBeUndefined();
    await Promise.all([1, 2, 3].map(() => requireSecretKey(db, createSealing([earlier]))));
    expect(await storedFingerprint(db)).toBe(createSealing([earlier]).fingerprints[0]);
    await requireSecretKey(db, createSealing([earlier]));
    await requireSecretKey(db, createSealing([later, earlier]));
    const refused = await requireSecretKey(db, createSealing([later])).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SecretKeyError);
    expect((refused as Error).message).toContain('secrets reseal');
    expect((refused as Error).message).toContain(createSealing([earlier]).fingerprints[0]);
    expect((refused as Error).message).not.toContain(later);
  });

  test('after resealing in batches, the first key alone is needed', async () => {
    await fill(23, [earlier]);
    const both = createSealing([later, earlier]);
    const columns = [column];
    expect(await reseal(db, both, { columns, batchSize: 5 })).toEqual([
      { table: 'secrets', column: 'sealed', resealed: 23, unreadable: 0 },
    ]);
    expect(await readable([later])).toBe(23);
    await requireSecretKey(db, createSealing([later]));
    await expect(requireSecretKey(db, createSealing([earlier]))).rejects.toThrow(SecretKeyError);
    expect(await reseal(db, both, { columns })).toMatchObject([{ resealed: 0 }]);
  });

  test('an interrupted resealing resumes, and until its end the database keeps the fingerprint of the earlier key', async () => {
    await setUp(earlier);
    await fill(10, [earlier]);
    const both = createSealing([later, earlier]);
    let calls = 0;
    const dying = {
      ...both,
      seal: (...args: Parameters<typeof both.seal>) => {
        if ((calls += 1) > 4) throw new Error('killed');
        return both.seal(...args);
      },
    };
    await expect(reseal(db, dying, { columns: [column], batchSize: 3 })).rejects.toThrow('killed');
    expect([await readable([later]), await readable([earlier])]).toEqual([4, 6]);
    await expect(requireSecretKey(db, createSealing([later]))).rejects.toThrow(SecretKeyError);
    expect(await reseal(db, both, { columns: [column] })).toMatchObject([{ resealed: 6 }]);
    await requireSecretKey(db, createSealing([later]));
  });

  test('rows that no key opens stop resealing, and stay unchanged where the loss is accepted', async () => {
    await fill(4, [earlier]);
    await setUp(later);
    const newest = createSealing(['the newest secret key; it is long enough too', later]);
    const columns = [column];
    const refused = await reseal(db, newest, { columns, batchSize: 3 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnreadableError);
    expect((refused as Error).message).toContain('4 of secrets.sealed');
    expect(await storedFingerprint(db)).toBe(newest.fingerprints[1]);
    expect(await reseal(db, newest, { columns, acceptLoss: true })).toMatchObject([{ resealed: 0, unreadable: 4 }]);
    expect(await storedFingerprint(db)).toBe(newest.fingerprints[0]);
    expect(await readable([earlier])).toBe(4);
  });

  test('resealing without the key of the database changes nothing unless the loss is accepted', async () => {
    await fill(2, [earlier]);
    await setUp(earlier);
    await expect(reseal(db, createSealing([later]), { columns: [column] })).rejects.toThrow(SecretKeyError);
    await reseal(db, createSealing([later]), { columns: [column], acceptLoss: true });
    await requireSecretKey(db, createSealing([later]));
    await expect(requireSecretKey(db, createSealing([earlier]))).rejects.toThrow(SecretKeyError);
  });

  test('resealing notices a process that still seals with the earlier key', async () => {
    await fill(1, [earlier]);
    await setUp(earlier);
    const both = createSealing([later, earlier]);
    const busy = {
      ...both,
      seal: (...args: Parameters<typeof both.seal>) => createSealing([earlier]).seal(...args),
    };
    await expect(reseal(db, busy, { columns: [column] })).rejects.toThrow('still seals with an earlier key');
    await expect(requireSecretKey(db, createSealing([later]))).rejects.toThrow(SecretKeyError);
  });

  test('every listed sealed column exists, and its key is the primary key of its table', async () => {
    await setUp(later);
    await reseal(db, createSealing([later]));
    for (const { table, key, column: sealed, read } of sealedColumns) {
      const { rows } = await db.query<{ key: string[]; type: string }>(
        `select array(select a.attname::text from unnest(i.indkey) with ordinality k (num, at)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.num order by k.at) as key,
           (select format_type(atttypid, null) from pg_attribute where attrelid = i.indrelid and attname = $2) as type
         from pg_index i where i.indrelid = $1::regclass and i.indisprimary`,
        [table, sealed],
      );
      expect(rows).toEqual([{ key, type: read === undefined ? 'bytea' : 'jsonb' }]);
    }
  });
});
