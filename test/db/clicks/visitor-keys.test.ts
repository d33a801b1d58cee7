import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { destroyVisitorKeys } from '#db/clicks/old-visitor-keys.ts';
import { ensureVisitorKeys, monthOf, visitorKeyBytes } from '#db/clicks/visitor-keys.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
beforeEach(() => db.query('delete from visitor_keys'));

const makeKey = (): Buffer => randomBytes(visitorKeyBytes);
const months = async (): Promise<string[]> =>
  (await db.query<{ month: string }>('select month from visitor_keys order by month')).rows.map(({ month }) => month);

describe('keys of visitors (5.2)', () => {
  test('are the same for all processes that ask for a month at once', async () => {
    const asked = ['2030-12', '2031-01'];
    const answers = await Promise.all(Array.from({ length: 8 }, () => ensureVisitorKeys(db, asked, makeKey)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect([...answers[0]!.keys()].toSorted()).toEqual(asked);
    expect(new Set([...answers[0]!.values()].map((key) => key.toString('hex'))).size).toBe(2);
    expect(await ensureVisitorKeys(db, asked, () => expect.unreachable())).toEqual(answers[0]);
  });

  test('are of calendar months in UTC', () => {
    expect(monthOf(Date.UTC(2030, 11, 31, 23, 59, 59, 999))).toBe('2030-12');
    expect(monthOf(Date.UTC(2030, 11, 31), 1)).toBe('2031-01');
    expect(monthOf(Date.UTC(2031, 0, 31), 1)).toBe('2031-02');
  });

  test("are destroyed two days after their month, in the table's file too", async () => {
    const keys = await ensureVisitorKeys(db, ['2030-01', '2030-02', '2030-03'], makeKey);
    expect(await destroyVisitorKeys(emOf(db), new Date('2030-02-02T23:59:59.999Z'))).toEqual([]);
    expect(await destroyVisitorKeys(emOf(db), new Date('2030-02-03T00:00:00Z'))).toEqual(['2030-01']);
    expect(await destroyVisitorKeys(emOf(db), new Date('2030-02-03T00:00:00Z'))).toEqual([]);
    expect(await months()).toEqual(['2030-02', '2030-03']);
    await db.query('checkpoint');
    const { rows } = await db.query<{ file: Buffer }>(
      `select pg_read_binary_file(pg_relation_filepath('visitor_keys')) as file`,
    );
    expect(rows[0]!.file.includes(keys.get('2030-02')!)).toBe(true);
    expect(rows[0]!.file.includes(keys.get('2030-01')!)).toBe(false);
    // Made again it would be another one.
    expect((await ensureVisitorKeys(db, ['2030-01'], makeKey)).get('2030-01')).not.toEqual(keys.get('2030-01'));
  });
});
