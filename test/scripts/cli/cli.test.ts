// @module-tag slow

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { loadConfig } from '#config/load.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { rowContext } from '#core/secrets/sealing.ts';
import { requireSecretKey } from '#db/connection/secret-fingerprint.ts';
import { root } from '#scripts/lib/paths.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { startPostgresOnFreePort } from '#test/support/postgres.ts';
import { createTestDatabase, edgeRole } from '#test/support/stack.ts';
import { counted } from '#scripts/cli/output.ts';
import { edgeEnvironment } from '#scripts/supervisor/edge-access.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { createCliFixture } from './fixture.ts';
import { insertRow } from '#test/support/rows.ts';

const cli = createCliFixture();
const earlier = 'an earlier secret key that is long enough';
const later = 'a later secret key that is long enough too';

describe('secrets reseal', () => {
  test('secrets reseal seals idempotency answers with the first key, which alone is needed afterwards', async () => {
    await requireSecretKey(cli.db, createSealing([earlier]));
    const [organizationId, route, name] = [uuidv7(), '/api-key', 'a key'];
    const key = [organizationId, route, name];
    const sealed = createSealing([earlier]).seal('idempotency', 'an answer', rowContext(...key));
    await insertRow(cli.db, 'idempotency_keys', {
      organization_id: organizationId,
      route,
      key: name,
      status: 201,
      answer: sealed,
    });
    const refused = await cli.run(['secrets', 'reseal'], { env: { SECRET_KEY: later } });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is not the key of this database') });
    expect(await cli.json(['secrets', 'reseal'], { env: { SECRET_KEY: `${later},${earlier}` } })).toEqual({
      fingerprint: createSealing([later]).fingerprints[0],
      columns: [
        { table: 'idempotency_keys', column: 'answer', resealed: 1, unreadable: 0 },
        { table: 'idempotency_keys', column: 'made', resealed: 0, unreadable: 0 },
        { table: 'webhooks', column: 'secret_sealed', resealed: 0, unreadable: 0 },
        { table: 'webhooks', column: 'previous_secret_sealed', resealed: 0, unreadable: 0 },
        { table: 'webhooks', column: 'headers_sealed', resealed: 0, unreadable: 0 },
        { table: 'oidc_providers', column: 'client_secret_sealed', resealed: 0, unreadable: 0 },
        { table: 'oauth_records', column: 'payload_sealed', resealed: 0, unreadable: 0 },
        { table: 'totp_factors', column: 'secret_sealed', resealed: 0, unreadable: 0 },
      ],
    });
    const { rows } = await cli.db.query<{ answer: Buffer }>('select answer from idempotency_keys where key = $1', [
      key[2],
    ]);
    expect(
      createSealing([later])
        .open('idempotency', rows[0]!.answer, rowContext(...key))
        .toString(),
    ).toBe('an answer');
    await requireSecretKey(cli.db, createSealing([later]));
  });

  test('secrets reseal reports a missing secret key', async () => {
    expect(await cli.run(['secrets', 'reseal'])).toMatchObject({
      code: 1,
      err: 'SECRET_KEY is required with DATABASE_URL.\n',
    });
    expect(await cli.run(['secrets', 'reseal'], { env: { SECRET_KEY: 'short' } })).toMatchObject({
      code: 1,
      err: expect.stringContaining('at least 32 characters'),
    });
  });
});

describe('keys and rights of edges', () => {
  const env = { SECRET_KEY: `${later},${earlier}` };

  test('secrets edge prints the keys of edges, in the order of SECRET_KEY, and nothing of the secrets', async () => {
    const { EDGE_SECRET_KEY: printed } = await cli.json(['secrets', 'edge'], { env });
    expect(printed).toBe([later, earlier].map((key) => writeEdgeKey(edgeKeyOf(key))).join(','));
    expect(await cli.run(['secrets', 'edge'], { env })).toMatchObject({ code: 0, out: `${printed}\n` });
    expect(loadConfig({ EDGE_SECRET_KEY: printed }).EDGE_SECRET_KEY).toHaveLength(2);
    expect(() => loadConfig({ EDGE_SECRET_KEY: later })).toThrow(
      'must be what `npm run -s waymark -- secrets edge` prints',
    );
  });

  test('keys of the data folder may be a list, as SECRET_KEY may', async () => {
    const keyFile = join(cli.dataDir, 'secret-key');
    writeFileSync(keyFile, `${later},${earlier}\n`);
    const { EDGE_SECRET_KEY: printed } = await cli.json(['secrets', 'edge'], { env: { DATABASE_URL: undefined } });
    const keys = [later, earlier].map((key) => writeEdgeKey(edgeKeyOf(key))).join(',');
    expect(printed).toBe(keys);
    const config = loadConfig({ WAYMARK_DATA_DIR: cli.dataDir });
    expect(edgeEnvironment(config, {}, cli.url, undefined)).toMatchObject({ EDGE_SECRET_KEY: keys });
    rmSync(keyFile);
  });

  test('migrate --edge-role gives an existing role the rights of an edge', async () => {
    expect(await cli.json(['migrate', '--edge-role', edgeRole])).toEqual({ applied: [], edgeRole });
    expect(await cli.run(['migrate', '--edge-role', 'nobody'])).toMatchObject({
      code: 1,
      err: `There is no role nobody. Make it first: create role "nobody" login password '…';\n`,
    });
  });
});

describe('the command line', () => {
  test('counts have the plural where they need it', () => {
    expect([0, 1, 2].map((count) => counted(count, 'session'))).toEqual(['0 sessions', '1 session', '2 sessions']);
  });

  test('options may stand before the command', async () => {
    const { code, out } = await cli.run(['--json', 'migrate', '--check']);
    expect([code, JSON.parse(out)]).toEqual([0, { pending: [], statements: [] }]);
    expect((await cli.run(['--help', 'migrate'])).out).toContain('waymark -- migrate');
  });

  test('help names every command, and each command has its own help', async () => {
    const { code, out, err } = await cli.run(['--help']);
    expect([code, err]).toEqual([0, '']);
    const names = [
      'org create',
      'org add-member',
      'key create',
      'user set-password',
      'user verify-email',
      'user remove-second-factor',
      'staff add',
      'migrate',
      'secrets reseal',
      'threats rescan',
      'webhooks recover',
      'import list',
      'import stop',
      'outbox list',
      'outbox retry',
    ];
    for (const name of names) {
      expect(out).toContain(`  ${name} `);
      const own = await cli.run([...name.split(' '), '--help'], {
        env: { DATABASE_URL: 'postgres://nowhere.invalid/' },
      });
      expect(own).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`waymark -- ${name}`) });
    }
    expect((await cli.run(['help'])).out).toBe(out);
  });

  test('--version prints the version of the checkout', async () => {
    expect(await cli.run(['--version'])).toMatchObject({ code: 0, out: `${manifest.version}\n`, err: '' });
  });

  test('every mistake is reported by its option, in plain words', async () => {
    const wrong = ['--type', 'robot', '--permissions', '{"links":["read"],"stats":["fly"]}'];
    const { err } = await cli.run(['key', 'create', '--org', 'x', ...wrong]);
    expect(err.split('\n').slice(0, 4)).toEqual([
      '--org: must be an id',
      '--type: must be bot, user or integration',
      '--permissions.stats.0: must be one of create, read, update, delete',
      '--permissions.links: is not a known field',
    ]);
  });

  test('a value that a command refuses later is reported by its option too', async () => {
    const { owner } = await cli.createOrganization();
    for (const given of [{ args: ['--password', 'short'] }, { args: ['--password-stdin'], input: 'short\n' }]) {
      const { code, err } = await cli.run(['user', 'set-password', '--email', owner.email, ...given.args], given);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringMatching(/^--password: must have 8 to 128 characters\n/),
      });
    }
  });

  test.each([
    ['mysql://x', 'must begin with postgres://'],
    ['postgres://host:99999/x', 'must be a URL like'],
  ])('a DATABASE_URL %s is refused before it is used', async (url, reason) => {
    for (const command of [['migrate'], ['staff', 'add', '--email', 'a@b.example']]) {
      const { code, err } = await cli.run(command, { env: { DATABASE_URL: url } });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`DATABASE_URL: ${reason}`) });
    }
  });

  test.each([
    [[]],
    [['org']],
    [['org', 'remove']],
    [['import', 'stop']],
    [['import', 'list', '--limit', 'many']],
    [['import', 'stop', '--id', 'acme']],
    [['import', 'stop', '--id', uuidv7(), '--force']],
    [['import', 'stop', '--id', uuidv7(), 'now']],
    [['import', 'stop', '--id']],
    [['user', 'set-password', '--email', 'a@example.com', '--password', 'a password', '--password-stdin']],
    [['key', 'create', '--org', uuidv7(), '--type', 'bot', '--user', uuidv7(), '--permissions', '{}']],
    [['migrate', '--down']],
  ])('%j: exit code 2, and a usage line on stderr', async (args) => {
    const { code, out, err } = await cli.run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^Usage: npm run -s waymark -- /m);
  });

  test('output without --json is a short text', async () => {
    const { owner } = await cli.createOrganization();
    expect((await cli.run(['staff', 'add', '--email', owner.email])).out).toBe(
      `${owner.email} is a member of staff now.\n`,
    );
    expect((await cli.run(['migrate'])).out).toBe('The schema is up to date.\n');
  });

  test('an unreachable or outdated database is reported in one line', async () => {
    const [port] = await freePorts(1);
    const away = await cli.run(['staff', 'add', '--email', 'a@example.com'], {
      env: { DATABASE_URL: `postgres://waymark:hidden@127.0.0.1:${port}/waymark` },
    });
    expect(away).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(`127.0.0.1:${port}/waymark cannot be used`),
    });
    expect(away.err).not.toContain('hidden');
    expect(away.err.trim().split('\n')).toHaveLength(1);
    await using old = await createTestDatabase();
    const client = new pg.Client({ connectionString: old.url });
    await client.connect();
    await client.query('delete from migrations where id = (select max(id) from migrations)');
    await client.end();
    const refused = await cli.run(['staff', 'add', '--email', 'a@example.com'], { env: { DATABASE_URL: old.url } });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('waymark -- migrate') });
  });

  test('DATABASE_URL may come from a file', async () => {
    const file = join(cli.dataDir, 'url');
    writeFileSync(file, `${cli.url}\n`);
    const env = { DATABASE_URL: undefined, DATABASE_URL_FILE: file };
    expect(await cli.json(['migrate'], { env })).toEqual({ applied: [] });
  });

  test(
    'the command line runs as a process of its own on the embedded database of a data folder',
    { tags: ['process', 'nightly'] },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'waymark-cli-embedded-'));
      const env = { PATH: process.env.PATH, WAYMARK_DATA_DIR: folder };
      const tool = (...args: string[]) =>
        promisify(execFile)(process.execPath, [join(root, 'scripts', 'cli.ts'), ...args, '--json'], { env });
      try {
        await expect(tool('migrate')).rejects.toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringContaining('npm start'),
        });
        const server = await startPostgresOnFreePort({ dataDir: folder, fast: true });
        try {
          expect(JSON.parse((await tool('migrate')).stdout)).toEqual({
            applied: expect.arrayContaining(['0091-scan-lanes']),
          });
          // The log was made by the command itself.
          const client = new pg.Client({ connectionString: server.url });
          await client.connect();
          const { rows } = await client.query(`select action, details ->> 'outcome' as outcome from audit_log`);
          await client.end();
          expect(rows).toEqual([{ action: 'migrate', outcome: 'done' }]);
          const here = { DATABASE_URL: undefined, WAYMARK_DATA_DIR: folder };
          expect(await cli.run(['secrets', 'reseal'], { env: here })).toMatchObject({
            code: 1,
            err: expect.stringContaining('holds no file secret-key'),
          });
          writeFileSync(join(folder, 'secret-key'), `${earlier}\n`);
          expect(JSON.parse((await tool('secrets', 'reseal')).stdout)).toMatchObject({
            fingerprint: createSealing([earlier]).fingerprints[0],
          });
        } finally {
          await server.stop({ hurry: true });
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
