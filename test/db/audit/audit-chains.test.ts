import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { createEntityManager } from '#db/connection/orm.ts';
import { AuditEntry } from '#db/entities/audit.ts';
import { checkChains, forgetLines, sealLines } from '#db/audit/audit-chains.ts';
import { eraseFromAudit } from '#db/accounts/person-data.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
const now = new Date('2026-11-24T12:30:00Z');
const ago = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const entities = () => createEntityManager(db);

let organizationId: string;
beforeEach(() => {
  organizationId = uuidv7();
});

function write(line: { at?: Date; action?: string; details?: Record<string, unknown> } = {}): Promise<string> {
  return entities()
    .getRepository(AuditEntry)
    .write({
      at: ago(60),
      caller: 'member',
      userId: null,
      action: 'apiKey.created',
      organizationId,
      subjectId: null,
      details: { name: 'A key', fields: ['name'] },
      ...line,
    });
}

async function seal(at = now): Promise<void> {
  while (await sealLines(entities(), at, 3));
}

async function check(noted?: string) {
  for await (const report of checkChains(entities(), { organizationId, noted })) return report;
  return undefined;
}

async function positions(): Promise<(number | null)[]> {
  const { rows } = await db.query<{ position: number | null }>(
    'select position from audit_log where organization_id = $1 order by id',
    [organizationId],
  );
  return rows.map(({ position }) => position);
}

describe('chains of the audit log', () => {
  it('a chain that nobody touched is whole, and its head is found again when lines follow', async () => {
    for (let count = 0; count < 7; count += 1) await write();
    await seal();
    const first = await check();
    expect(first).toMatchObject({ lines: 7, erased: 0, broken: undefined });
    await write();
    await seal();
    expect(await check(first?.head)).toMatchObject({ lines: 8, hasNoted: true, broken: undefined });
    expect(await check('f'.repeat(64))).toMatchObject({ hasNoted: false });
  });

  it('a line that was changed, taken away, added or cut off breaks the chain at its place', async () => {
    const ids = [await write(), await write(), await write(), await write()];
    await seal();
    const set = async (id: string | undefined, change: string, ...values: unknown[]) => {
      await db.query(`update audit_log set ${change} where id = $1`, [id, ...values]);
      return (await check())?.broken;
    };
    expect(await set(ids[1], `details = '{"name":"Another"}'`)).toEqual({ position: 2, id: ids[1], kind: 'changed' });
    expect(await set(ids[1], `details = '{"fields":["name"],"name":"A key"}'`)).toBeUndefined();
    expect(await set(ids[2], 'user_id = $2', uuidv7())).toEqual({ position: 3, id: ids[2], kind: 'changed' });
    expect(await set(ids[2], 'user_id = null')).toBeUndefined();
    expect(await set(ids[2], `at = at + interval '1 ms'`)).toMatchObject({ position: 3, kind: 'changed' });
    expect(await set(ids[2], `at = at - interval '1 ms'`)).toBeUndefined();
    expect(await set(ids[3], 'position = 5')).toEqual({ position: 5, id: ids[3], kind: 'added' });
    expect(await set(ids[3], 'position = 3')).toMatchObject({ position: 3, kind: 'added' });
    expect(await set(ids[3], 'position = null')).toEqual({ position: 4, id: null, kind: 'cut' });
    await db.query('delete from audit_log where id = $1', [ids[0]]);
    expect((await check())?.broken).toEqual({ position: 1, id: ids[1], kind: 'missing' });
  });

  it('lines that still change are sealed later: counts after their hour, runs of commands after their end', async () => {
    await write({ at: ago(5) });
    await write({ at: ago(5), action: 'org create', details: { outcome: 'begun' } });
    const count = { at: ago(20), caller: 'member', userId: null, action: 'auth.login', organizationId } as const;
    const countOne = () =>
      entities()
        .getRepository(AuditEntry)
        .countAll([{ ...count, subjectId: null, details: {} }]);
    await countOne();
    await seal();
    expect(await positions()).toEqual([1, null, null]);
    await seal(new Date('2026-11-24T13:04:00Z'));
    expect(await positions()).toEqual([1, null, null]);
    await seal(new Date('2026-11-24T13:06:00Z'));
    expect(await positions()).toEqual([1, null, 2]);
    await countOne();
    expect((await check())?.broken).toBeUndefined();
    await seal(new Date('2026-11-25T13:06:00Z'));
    expect(await positions()).toEqual([1, 3, 2]);
    expect(await check()).toMatchObject({ lines: 3, broken: undefined });
  });

  it('old lines are forgotten from the beginning, and the rest of the chain stays whole', async () => {
    for (const days of [400, 380, 200, 100]) await write({ at: ago(days * 1_440) });
    await seal();
    await forgetLines(entities(), ago(365 * 1_440));
    expect(await check()).toMatchObject({ lines: 2, broken: undefined });
    await write();
    await seal();
    expect(await check()).toMatchObject({ lines: 3, broken: undefined });
    await forgetLines(entities(), now);
    expect(await check()).toMatchObject({ lines: 0, broken: undefined });
  });

  it('a chain stays whole where a person is erased from it, and the check counts the lines without details', async () => {
    await write({ details: { email: 'ada.chain@example.com' } });
    await write();
    await seal();
    await entities().transactional((em) => eraseFromAudit(em, 'ada.chain@example.com', undefined));
    expect(await check()).toMatchObject({ lines: 2, erased: 1, broken: undefined });
  });

  it('lines that several processes seal at once have one place each', async () => {
    for (let count = 0; count < 20; count += 1) await write();
    await Promise.all([seal(), seal(), seal()]);
    await seal();
    const places = (await positions()).toSorted((a, b) => Number(a) - Number(b));
    expect(places).toEqual(Array.from({ length: 20 }, (_unused, index) => index + 1));
    expect(await check()).toMatchObject({ lines: 20, broken: undefined });
  });
});
