// @module-tag process

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { root } from '#scripts/lib/paths.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';
import { hasCommand } from '#test/support/commands.ts';

const cli = createCliFixture();
const shell = (...args: string[]): string[] => ['db', 'shell', ...args];

describe('db shell -c', () => {
  test('db shell -c runs statements and prints tables or JSON', async () => {
    const sql = `select 1::bigint as one, null as nothing, true as yes; select 'a;b' as text`;
    expect(await cli.run(shell('-c', sql))).toEqual({
      code: 0,
      err: '',
      out: 'one | nothing | yes\n----+---------+-----\n1   | null    | true\n(1 row)\n\ntext\n----\na;b\n(1 row)\n',
    });
    expect(await cli.json(shell('--command', sql))).toEqual({
      results: [
        { command: 'SELECT', rowCount: 1, rows: [{ one: 1, nothing: null, yes: true }] },
        { command: 'SELECT', rowCount: 1, rows: [{ text: 'a;b' }] },
      ],
    });
  });

  test('db shell -c changes data only with --write, and the audit log has both kinds of call', async () => {
    const change = `insert into installation (key, value) values ('shell', '1')`;
    const count = `select count(*) from installation where key = 'shell'`;
    const refused = await cli.run(shell('-c', change));
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toBe(
      'cannot execute INSERT in a read-only transaction\nStart the shell with --write to change something.\n',
    );
    expect((await cli.run(shell('--write', '-c', change))).out).toBe('INSERT 1\n');
    expect((await cli.json(shell('-c', count))).results[0].rows).toEqual([{ count: 1 }]);
    const { rows } = await cli.db.query(
      `select details->'options' as options, details->>'outcome' as outcome from audit_log
       where action = 'db shell' and details->'options'->>'command' = $1 order by at`,
      [change],
    );
    expect(rows).toEqual([
      { options: { command: change }, outcome: 'failed' },
      { options: { command: change, write: true }, outcome: 'done' },
    ]);
  });

  test('db shell -c describes tables', async () => {
    const { out } = await cli.run(shell('-c', '\\dt'));
    expect(out).toMatch(/^workers +\| table +\| \d+ +\| \d+ (bytes|kB)$/m);
    expect(out).toMatch(/^clicks +\| partitioned +\| \d+ +\| \d+ (bytes|kB|MB)$/m);
    expect((await cli.run(shell('-c', '\\d workers'))).out).toContain('takes_tasks');
    expect(await cli.run(shell('-c', '\\d nowhere'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('no table'),
    });
    expect(await cli.run(shell('-c', '\\copy'))).toMatchObject({ code: 2, err: expect.stringContaining('may be') });
  });

  test('db shell -c ends a slow statement, reads no more rows than it shows, and prints errors', async () => {
    const late = await cli.run(shell('--timeout', '0.2', '-c', 'select pg_sleep(60)'));
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining('statement timeout') });
    const many = await cli.run(
      shell('--limit', '3', '-c', 'select a from generate_series(1, 30000) a, generate_series(1, 30000) b'),
    );
    expect(many).toMatchObject({ code: 0, out: expect.stringContaining('(3 rows; there are more: see --limit)') });
    for (const [args, message] of [
      [['-c', 'selec 1'], 'syntax error'],
      [['-c', ' ; '], 'holds no statement'],
      [['--timeout', 'soon', '-c', 'select 1'], '--timeout: must be a number of seconds'],
    ] as const)
      expect((await cli.run(shell(...args))).err).toContain(message);
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    expect(await cli.run(shell('-c', 'select 1'), { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining('The database 127.0.0.1:1/none cannot be used'),
    });
  });
});

describe('db shell', () => {
  test('db shell reads statements and commands from its input and ends at the first mistake', async () => {
    const input = 'select 1 as\n  one;\n\\dt\n\\d workers\n\\x\nselect 2 as two;\n\\timing\nselect 3';
    const { code, out, err } = await cli.run(shell(), { input });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('one\n---\n1\n(1 row)\n');
    expect(out).toMatch(/^short_links +\| table /m);
    expect(out).toMatch(/^clicks +\| partitioned /m);
    expect(out).toMatch(/^heard_at +\| timestamp\(3\) with time zone \| not null \| now\(\)$/m);
    expect(out).toContain('  CREATE UNIQUE INDEX workers_pkey ON public.workers USING btree (id)');
    expect(out).toContain('-- row 1\ntwo | 2\n');
    expect(out).toMatch(/three|3\n\(1 row\)\n[\d.]+ ms\n$/);

    const broken = await cli.run(shell(), { input: 'select 1;\nselect nonsense;\nselect 2 as never;\n' });
    expect(broken).toMatchObject({ code: 1, err: 'column "nonsense" does not exist\n' });
    expect(broken.out).not.toContain('never');
    expect((await cli.run(shell(), { input: '\\d nowhere\n' })).err).toBe(
      'There is no table nowhere. \\dt lists them.\n',
    );
    const json = await cli.run(shell('--json'), { input: 'select 1 as one; select 2 as two;' });
    expect(json.out).toBe(
      '{"command":"SELECT","rowCount":1,"rows":[{"one":1}]}\n{"command":"SELECT","rowCount":1,"rows":[{"two":2}]}\n',
    );
  });

  // Makes a terminal; not every system has it.
  const terminal = 'script';
  test.skipIf(!hasCommand(terminal))(
    'talks on a terminal: prompts, goes on after a mistake, ends a statement by Ctrl-C',
    async () => {
      const command = `${process.execPath} scripts/cli.ts db shell --timeout 0`;
      const child = spawn(terminal, ['-qfec', command, '/dev/null'], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: cli.url, TERM: 'dumb' },
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const exited = new Promise((resolve) => child.once('close', resolve));
      const says = (text: string): Promise<unknown> =>
        eventually(
          async () => output,
          (all) => all.includes(text),
        );
      await says('read-only. \\? for help');
      child.stdin.write('select nonsense;\n');
      await says('column "nonsense" does not exist');
      child.stdin.write('select 40 +\n');
      child.stdin.write('2 as sum;\n');
      await says('42');
      child.stdin.write('select pg_sleep(600);\n');
      await eventually(
        async () =>
          (await cli.db.query(`select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`))
            .rowCount,
        (count) => count === 1,
      );
      child.stdin.write('\u0003');
      await says('canceling statement due to user request');
      child.stdin.write('\\q\n');
      expect(await exited).toBe(0);
    },
  );

  test('db shell reaches the database that npm start runs', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'waymark-shell-'));
    const [port] = await freePorts(1);
    const postgres = await startPostgres({ dataDir, port: port!, fast: true });
    try {
      const env = { DATABASE_URL: undefined, WAYMARK_DATA_DIR: dataDir };
      const { out } = await cli.run(shell('-c', 'select current_database() as name'), { env });
      expect(out).toContain('name\n-------\nwaymark\n');
    } finally {
      await postgres.stop({ hurry: true });
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
