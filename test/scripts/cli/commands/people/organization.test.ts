// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { verifyPassword } from '#commands/accounts/passwords.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { createCliFixture, type Result } from '#test/scripts/cli/fixture.ts';
import { findKey } from '#test/support/people.ts';
import { insertRow } from '#test/support/rows.ts';

const cli = createCliFixture();
const onePermission = '{"shortLinks":["read"]}';

describe('org create', () => {
  test('org create makes an organization with owner, bot and default folder', async () => {
    const { organization, owner } = await cli.json(
      [
        'org',
        'create',
        '--name',
        ' Acme ',
        '--plan',
        'free',
        '--owner-email',
        'Ada@Example.com',
        '--owner-password-stdin',
      ],
      { input: 'correct horse battery\nnext line' },
    );
    expect(organization).toMatchObject({ name: 'Acme', plan: 'free', isSuspended: false });
    expect(owner).toMatchObject({ email: 'ada@example.com', name: 'ada', isStaff: false });
    const { rows } = await cli.db.query<{ role: string; type: string; hash: string | null }>(
      `select m.role, u.type, u.password_hash as hash from memberships m join users u on u.id = m.user_id
       where m.organization_id = $1 order by u.type`,
      [organization.id],
    );
    expect(rows).toMatchObject([
      { role: 'member', type: 'bot', hash: null },
      { role: 'owner', type: 'human' },
    ]);
    expect(await verifyPassword(rows[1]!.hash!, 'correct horse battery')).toBe(true);
    const folders = await cli.db.query('select name, is_default from folders where organization_id = $1', [
      organization.id,
    ]);
    expect(folders.rows).toEqual([{ name: 'Links', is_default: true }]);
  });

  test('org create makes a known user the owner, who keeps their password (2.8)', async () => {
    const first = await cli.createOrganization('twice@example.com');
    const second = await cli.json([
      'org',
      'create',
      '--name',
      'B',
      '--plan',
      'free',
      '--owner-email',
      'TWICE@example.com',
    ]);
    expect([first.isNewAccount, second.isNewAccount]).toEqual([true, false]);
    expect(second.owner.id).toBe(first.owner.id);
    expect(second.organization.id).not.toBe(first.organization.id);
  });

  test('a new owner needs a password of 8 to 128 characters', async () => {
    const args = ['org', 'create', '--name', 'B', '--plan', 'free', '--owner-email', 'new@example.com'];
    for (const extra of [[], ['--owner-password', 'short'], ['--owner-password', 'x'.repeat(129)]]) {
      const { code, err } = await cli.run([...args, ...extra]);
      expect([code, err]).toEqual([2, expect.stringContaining('Usage: npm run -s waymark -- org create')]);
    }
    expect((await cli.db.query(`select from users where email = 'new@example.com'`)).rowCount).toBe(0);
  });
});

describe('key create', () => {
  const create = (org: string, ...rest: string[]): Promise<Result> =>
    cli.run(['key', 'create', '--org', org, '--permissions', onePermission, ...rest]);

  test('key create makes a working key and shows it once', async () => {
    const { organization } = await cli.createOrganization();
    const permissions = '{"stats":["read"],"shortLinks":["read","create","read"]}';
    const args = ['--type', 'bot', '--name', 'CI', '--permissions', permissions];
    const record = await cli.json(['key', 'create', '--org', organization.id, ...args]);
    const { key, ...rest } = record;
    expect(key).toMatch(/^wm_live_[0-9A-Za-z]{43}$/);
    expect(rest).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      type: 'bot',
      name: 'CI',
      permissions: { stats: ['read'], shortLinks: ['create', 'read'] },
      last4: key.slice(-4),
      userId: expect.any(String),
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
      expiresAt: null,
    });
    expect(await findKey(cli.db, key)).toMatchObject({ permissions: record.permissions, plan: 'premium' });
  });

  test('key create allows one bot key per organization and one user key per member (2.6)', async () => {
    const { organization, owner } = await cli.createOrganization();
    expect((await create(organization.id, '--type', 'bot')).code).toBe(0);
    expect(await create(organization.id, '--type', 'bot')).toMatchObject({
      code: 1,
      err: expect.stringContaining('already'),
    });
    expect(
      await cli.json(['key', 'create', '--org', organization.id, '--type', 'user', '--permissions', '{}']),
    ).toMatchObject({
      userId: owner.id,
      name: 'User key',
    });
    for (const user of [owner.id, owner.email]) {
      expect(await create(organization.id, '--type', 'user', '--user', user)).toMatchObject({ code: 1 });
    }
  });

  test('key create makes integration keys, with an end', async () => {
    const { organization } = await cli.createOrganization();
    const args = ['--type', 'integration', '--permissions', onePermission, '--expires', '2099-01-31T12:00:00+01:00'];
    for (const called of ['One', 'Two'])
      expect(await cli.json(['key', 'create', '--org', organization.id, ...args, '--name', called])).toMatchObject({
        type: 'integration',
        name: called,
        expiresAt: '2099-01-31T11:00:00.000Z',
      });
    expect(await create(organization.id, '--type', 'integration', '--expires', 'soon')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--expires'),
    });
    expect(await create(organization.id, '--type', 'integration', '--expires', '2020-01-31T12:00:00Z')).toMatchObject({
      code: 2,
      err: expect.stringContaining('must be in the future'),
    });
  });

  test('key create refuses a user who is no member', async () => {
    const { organization } = await cli.createOrganization();
    const { owner: stranger } = await cli.createOrganization();
    expect(await create(organization.id, '--type', 'user', '--user', stranger.id)).toMatchObject({ code: 2 });
    expect(await create(organization.id, '--type', 'user', '--user', 'nobody@example.com')).toMatchObject({ code: 1 });
    expect(await create(uuidv7(), '--type', 'bot')).toMatchObject({ code: 1 });
  });

  test.each(['{', '[]', 'null', '{"links":["read"]}', '{"stats":["write"]}', '{"stats":"read"}', '{"stats":null}'])(
    'permissions %s are wrong',
    async (permissions) => {
      const result = await cli.run(['key', 'create', '--org', uuidv7(), '--type', 'bot', '--permissions', permissions]);
      expect(result).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--permissions') });
    },
  );
});

describe('users and staff', () => {
  test('user set-password ends all sessions of the user, on every process', async () => {
    const { organization, owner } = await cli.createOrganization();
    const tokens = ['one', 'two'].map(hashToken);
    for (const token of tokens) {
      await insertRow(cli.db, 'sessions', { token_hash: token, user_id: owner.id, organization_id: organization.id });
    }
    const args = ['user', 'set-password', '--email', owner.email, '--password-stdin'];
    expect(await cli.json(args, { input: 'another password\n' })).toMatchObject({
      user: { id: owner.id },
      endedSessions: 2,
    });
    const { rows } = await cli.db.query<{ hash: string }>('select password_hash as hash from users where id = $1', [
      owner.id,
    ]);
    expect(await verifyPassword(rows[0]!.hash, 'another password')).toBe(true);
    expect((await cli.db.query('select from sessions where user_id = $1', [owner.id])).rowCount).toBe(0);
  });

  test('org add-member makes a known user, also one of the staff, a member of an organization', async () => {
    const { organization } = await cli.createOrganization();
    const { owner } = await cli.createOrganization();
    await cli.run(['staff', 'add', '--email', owner.email]);
    const add = (email: string) =>
      cli.json(['org', 'add-member', '--org', organization.id, '--email', email, '--role', 'admin']);
    expect(await add(owner.email)).toMatchObject({ user: { id: owner.id }, role: 'admin' });
    const { rows } = await cli.db.query('select role from memberships where organization_id = $1 and user_id = $2', [
      organization.id,
      owner.id,
    ]);
    expect(rows).toEqual([{ role: 'admin' }]);
  });

  test('nothing is given to an account whose e-mail is not verified, until the operator verifies it or sets a password', async () => {
    const { organization } = await cli.createOrganization();
    const take = async (email: string) => {
      const { owner } = await cli.createOrganization(email);
      await cli.db.query('update users set email_verified_at = null where id = $1', [owner.id]);
    };
    const grants = (email: string) => [
      ['org', 'create', '--name', 'B', '--plan', 'free', '--owner-email', email],
      ['org', 'add-member', '--org', organization.id, '--email', email, '--role', 'admin'],
      ['staff', 'add', '--email', email],
    ];
    const ways = [
      ['user', 'verify-email', '--email', 'first-taken@example.com'],
      ['user', 'set-password', '--email', 'other-taken@example.com', '--password', 'another password'],
    ];
    for (const way of ways) {
      const email = way[3]!;
      await take(email);
      for (const grant of grants(email)) {
        const err = expect.stringContaining('has not shown that the e-mail is its own');
        expect(await cli.run(grant)).toMatchObject({ code: 1, err });
      }
      await cli.json(way);
      for (const grant of grants(email)) await cli.json(grant);
    }
    const args = [...grants('first-taken@example.com')[0]!, '--owner-password', 'some password'];
    expect(await cli.run(args)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--owner-password: must be left'),
    });
  });

  test('staff add gives a known user the rights of the staff', async () => {
    const { owner } = await cli.createOrganization();
    expect(await cli.json(['staff', 'add', '--email', owner.email])).toMatchObject({
      user: { id: owner.id, isStaff: true },
    });
    const { rows } = await cli.db.query('select is_staff from users where id = $1', [owner.id]);
    expect(rows).toEqual([{ is_staff: true }]);
    expect(await cli.run(['staff', 'add', '--email', 'nobody@example.com'])).toEqual({
      code: 1,
      out: '',
      err: 'There is no user nobody@example.com.\n',
    });
  });
});
