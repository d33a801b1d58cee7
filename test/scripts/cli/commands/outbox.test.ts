import { beforeEach, expect, test } from 'vitest';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { eventually } from '#test/support/eventually.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';
import { insertRow, secondsAgo } from '#test/support/rows.ts';

const cli = createCliFixture();

async function enqueueRow(row: {
  kind: string;
  parked?: boolean;
  error?: string;
}): Promise<{ id: number; subject: string }> {
  const { id, subject_id: subject } = await insertRow(cli.db, 'outbox', {
    kind: row.kind,
    attempts: row.parked ? 20 : 3,
    parked_at: row.parked ? new Date() : null,
    last_error: row.error ?? null,
    created_at: secondsAgo(3_600),
    due_at: secondsAgo(-300),
  });
  return { id, subject };
}

beforeEach(() => cli.db.query('delete from outbox'));

test('outbox list shows parked rows first, each with its error', async () => {
  expect((await cli.run(['outbox', 'list'])).out).toBe('Nothing waits.\n');
  const waiting = await enqueueRow({ kind: 'webhook' });
  const parked = await enqueueRow({ kind: 'import', parked: true, error: 'Temporal says no' });
  const { rows } = await cli.json(['outbox', 'list']);
  expect(rows).toMatchObject([
    { id: parked.id, kind: 'import', subjectId: parked.subject, attempts: 20, lastError: 'Temporal says no' },
    { id: waiting.id, kind: 'webhook', subjectId: waiting.subject, attempts: 3, parkedAt: null },
  ]);
  const { out } = await cli.run(['outbox', 'list']);
  expect(out).toMatch(/^ {2}Id +Kind +Subject +State +Tries +Since +Next try +Last error$/m);
  expect(out).toMatch(new RegExp(`^ {2}${parked.id} +import +${parked.subject} +parked +20 .* Temporal says no$`, 'm'));
  const only = async (...args: string[]) =>
    (await cli.json(['outbox', 'list', ...args])).rows.map(({ id }: { id: number }) => id);
  expect(await only('--state', 'parked')).toEqual([parked.id]);
  expect(await only('--state', 'waiting')).toEqual([waiting.id]);
  expect(await only('--kind', 'webhook')).toEqual([waiting.id]);
  expect(await only('--limit', '1')).toEqual([parked.id]);
  for (const [option, value] of [
    ['--kind', 'wish'],
    ['--state', 'done'],
    ['--limit', '0'],
  ] as const)
    expect(await cli.run(['outbox', 'list', option, value])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${option}: must be`),
    });
});

test('outbox retry makes failed rows due at once, resets their attempts and wakes the relays', async () => {
  let wakes = 0;
  const listener = createListener({
    url: cli.url,
    channels: [channels.outbox],
    onNotification: () => (wakes += 1),
    onGap: () => undefined,
    log: { info: () => undefined, warn: () => undefined },
  });
  await listener.start();
  const parked = await enqueueRow({ kind: 'import', parked: true, error: 'no' });
  const failed = await enqueueRow({ kind: 'webhook', error: 'no' });
  const leased = await enqueueRow({ kind: 'webhook' });
  expect((await cli.run(['outbox', 'retry', '--id', String(parked.id)])).out).toBe('1 row is tried again now.\n');
  const due = async () => {
    const { rows } = await cli.db.query<{ id: number }>(
      `select id from outbox where due_at <= now() and attempts = 0 and parked_at is null order by id`,
    );
    return rows.map(({ id }) => id);
  };
  expect(await due()).toEqual([parked.id]);
  // The row counts as waiting from now on, so days of parking raise no alarm about its age.
  const { rows } = await cli.db.query(`select from outbox where id = $1 and created_at > now() - interval '1 minute'`, [
    parked.id,
  ]);
  expect(rows).toHaveLength(1);
  expect((await cli.json(['outbox', 'retry', '--all'])).rows).toHaveLength(2);
  expect(await due()).toEqual([parked.id, failed.id]);
  expect(await due()).not.toContain(leased.id);
  await eventually(
    () => wakes,
    (count) => count >= 2,
  );
  await listener.close();
  expect(await cli.run(['outbox', 'retry', '--id', '999999'])).toMatchObject({
    code: 1,
    err: 'No row 999999 has failed or waits for the next day.\n',
  });
  for (const args of [[], ['--all', '--kind', 'webhook']])
    expect(await cli.run(['outbox', 'retry', ...args])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Give one of --id, --kind and --all.'),
    });
  const audit = await cli.db.query(
    `select from audit_log where action = 'outbox retry' and details->>'outcome' = 'done'`,
  );
  expect(audit.rowCount).toBe(2);
});

test('outbox retry takes scans that wait for the next day, whose budget an operator has raised', async () => {
  const scan = { kind: 'threat-scan', attempts: 0, created_at: secondsAgo(3_600) };
  const postponed = await insertRow(cli.db, 'outbox', { ...scan, due_at: secondsAgo(-7_200) });
  // A relay has it.
  await insertRow(cli.db, 'outbox', { ...scan, attempts: 1, due_at: secondsAgo(-7_200) });
  await insertRow(cli.db, 'outbox', { ...scan, due_at: secondsAgo(-20) });
  const { rows } = await cli.json(['outbox', 'retry', '--kind', 'threat-scan']);
  expect(rows).toMatchObject([{ id: postponed.id, kind: 'threat-scan' }]);
  expect((await cli.db.query('select from outbox where id = $1 and due_at <= now()', [postponed.id])).rowCount).toBe(1);
});
