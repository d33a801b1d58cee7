// @module-tag slow

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '#scripts/cli/run.ts';
import { openTestSession } from '#test/support/people.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';

const cli = createCliFixture();

describe('a common password', () => {
  test('org create and user set-password refuse a common password by the name of the option', async () => {
    const { owner } = await cli.createOrganization('zoe@example.com');
    const create = ['org', 'create', '--name', 'Zanzibar', '--plan', 'free', '--owner-email', 'new@example.com'];
    for (const [args, option] of [
      [[...create, '--owner-password', 'Password123'], '--owner-password'],
      [[...create, '--owner-password', 'zanzibar1'], '--owner-password'],
      [['user', 'set-password', '--email', owner.email, '--password', 'qwertyuiop'], '--password'],
      [['user', 'set-password', '--email', owner.email, '--password', owner.email], '--password'],
    ] as const) {
      const { code, err } = await cli.run([...args]);
      expect([code, err.split('\n')[0]]).toEqual([
        2,
        `${option}: is too common: attackers guess such passwords first; choose another one`,
      ]);
    }
    expect((await cli.db.query(`select from users where email = 'new@example.com'`)).rowCount).toBe(0);
  });

  test('a command looks a password up in the file and at the service of breached ones', async () => {
    const { owner } = await cli.createOrganization();
    const password = 'Kx7-orbit-lantern';
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
    const file = join(cli.dataDir, 'breached.txt');
    writeFileSync(file, `${hash}:3\n`);
    const server = createServer((_request, response) => void response.end(`${hash.slice(5)}:3`)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range`;
    const set = (env: NodeJS.ProcessEnv) =>
      cli.run(['user', 'set-password', '--email', owner.email, '--password', password], { env });
    expect((await set({ BREACHED_PASSWORDS_FILE: file })).code).toBe(2);
    expect((await set({ BREACHED_PASSWORDS_URL: url })).code).toBe(2);
    server.close();
    const failed = await set({ BREACHED_PASSWORDS_FILE: join(cli.dataDir, 'none.txt') });
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('cannot be searched: ENOENT') });
    expect((await set({})).code).toBe(0);
  });
});

describe('staff remove', () => {
  test("staff remove withdraws the rights, ends the person's sessions, and may be repeated", async () => {
    const { organization, owner } = await cli.createOrganization();
    const bystander = await cli.createOrganization();
    await cli.json(['staff', 'add', '--email', owner.email]);
    await openTestSession(cli.db, owner.id, organization.id);
    await openTestSession(cli.db, owner.id, organization.id);
    await openTestSession(cli.db, bystander.owner.id, bystander.organization.id);
    const removed = await cli.json(['staff', 'remove', '--email', owner.email.toUpperCase()]);
    expect(removed).toMatchObject({ user: { id: owner.id, isStaff: false }, endedSessions: 2 });
    expect((await cli.db.query('select from sessions')).rowCount).toBe(1);
    expect(await cli.json(['staff', 'remove', '--email', owner.email])).toMatchObject({ endedSessions: 0 });
    expect(await cli.run(['staff', 'remove', '--email', 'nobody@example.com'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no user nobody@example.com.'),
    });
  });
});

describe('user remove-second-factor', () => {
  test('user remove-second-factor removes every factor, ends the sessions, and may be repeated', async () => {
    const { organization, owner } = await cli.createOrganization();
    await openTestSession(cli.db, owner.id, organization.id);
    await cli.db.query(
      `insert into totp_factors (user_id, secret_sealed, last_step, created_at, confirmed_at) values ($1, 'x', 0, now(), now())`,
      [owner.id],
    );
    await cli.db.query(
      `insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, name, created_at)
       values (gen_random_uuid(), $1, 'id', 'key', 0, '[]', 'Laptop', now())`,
      [owner.id],
    );
    await cli.db.query(`insert into recovery_codes (user_id, code_hash, created_at) values ($1, 'hash', now())`, [
      owner.id,
    ]);
    const command = ['user', 'remove-second-factor', '--email', owner.email];
    const exported = await cli.run(['person', 'export', '--email', owner.email]);
    expect(exported.out).toContain('Laptop');
    expect(await cli.json(command)).toMatchObject({ user: { id: owner.id }, removed: 2, endedSessions: 1 });
    for (const table of ['totp_factors', 'passkeys', 'recovery_codes', 'sessions']) {
      const { rowCount } = await cli.db.query(`select from ${table} where user_id = $1`, [owner.id]);
      expect({ table, rowCount }).toEqual({ table, rowCount: 0 });
    }
    expect(await cli.json(command)).toMatchObject({ removed: 0, endedSessions: 0 });
    expect(await cli.run(['user', 'remove-second-factor', '--email', 'nobody@example.com'])).toMatchObject({ code: 1 });
  });
});

describe('the audit log', () => {
  const rows = async () =>
    (
      await cli.db.query<{ action: string; details: { options: object; outcome: string } }>(
        `select action, actor, user_id as "userId", organization_id as "organizationId", subject_id as "subjectId", details
         from audit_log order by id`,
      )
    ).rows;

  test('the audit log has every changing command with its actor, options and outcome, without secrets', async () => {
    await cli.db.query('delete from audit_log');
    const { organization, owner } = await cli.createOrganization('audited@example.com');
    const org = ['--org', organization.id];
    const input = { input: 'a password from stdin' };
    await cli.json(['user', 'set-password', '--email', owner.email, '--password-stdin'], input);
    await cli.json(['key', 'create', ...org, '--type', 'bot', '--permissions', '{"stats":["read"]}']);
    await cli.run(['import', 'stop', '--id', crypto.randomUUID()]);
    await cli.run(['import', 'stop', '--id', 'golden']);
    await cli.json(['migrate']);
    const seen = await rows();
    const actor = `cli:${userInfo().username}`;
    expect(seen).toMatchObject([
      { action: 'org create', actor, userId: null, organizationId: organization.id, details: { outcome: 'done' } },
      { action: 'user set-password', actor, subjectId: owner.id, details: { outcome: 'done' } },
      { action: 'key create', actor, organizationId: organization.id, details: { outcome: 'done' } },
      { action: 'import stop', actor, organizationId: null, details: { outcome: 'failed' } },
      { action: 'migrate', actor, details: { outcome: 'done' } },
    ]);
    expect(seen[0]!.details.options).toEqual({
      name: 'Acme',
      plan: 'premium',
      'owner-email': 'audited@example.com',
      'owner-password': '(secret)',
    });
    expect(JSON.stringify(seen)).not.toMatch(/wm_live_|a good password|from stdin/);
  });

  test('the audit line is written before a command begins, and a command without one does nothing', async () => {
    const { owner } = await cli.createOrganization();
    await cli.db.query('alter table audit_log add constraint full_log check (false) not valid');
    const { code } = await cli.run(['staff', 'add', '--email', owner.email]);
    await cli.db.query('alter table audit_log drop constraint full_log');
    expect(code).toBe(1);
    const { rows: found } = await cli.db.query('select is_staff from users where id = $1', [owner.id]);
    expect(found).toEqual([{ is_staff: false }]);
  });

  test('the audit log leaves out only commands that change nothing and show no data of customers', () => {
    // It derives a key on this machine, and asks no database.
    expect(commands.filter(({ isAudited }) => !isAudited).map(({ name }) => name)).toEqual(['secrets edge']);
  });
});

describe('audit verify', () => {
  test('audit verify passes over a log that nobody touched, finds a noted head again, and names a changed line', async () => {
    const { organization } = await cli.createOrganization('chain@example.com');
    const org = ['--org', organization.id];
    const makeKey = (name: string) =>
      cli.json(['key', 'create', ...org, '--type', 'integration', '--name', name, '--permissions', '{}']);
    await makeKey('one');
    await makeKey('two');
    const first = await cli.json(['audit', 'verify', ...org]);
    expect(first).toMatchObject({ isWhole: true, hasHead: null, chains: [{ lines: 3, erased: 0, broken: null }] });
    await makeKey('three');
    const head = ['--head', first.chains[0].head];
    expect(await cli.json(['audit', 'verify', ...org, ...head])).toMatchObject({ isWhole: true, hasHead: true });
    expect(await cli.run(['audit', 'verify', ...org, '--head', 'f'.repeat(64)])).toMatchObject({
      code: 1,
      out: expect.stringContaining('No chain has the given head'),
    });

    await cli.db.query(`update audit_log set action = 'org create' where organization_id = $1 and position = 2`, [
      organization.id,
    ]);
    const { code, out } = await cli.run(['audit', 'verify', ...org]);
    expect([code, out]).toEqual([1, expect.stringContaining('line 2 was changed after it was sealed')]);
    expect(await cli.run(['audit', 'verify', '--head', 'abc'])).toMatchObject({ code: 2 });
  });
});
