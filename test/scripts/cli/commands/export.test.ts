import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { recordRead, recordSignIn } from '#commands/organizations/audit.ts';
import { noteCurrentStore } from '#db/clicks/stores/current-store.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createDomain, createFile } from '#test/support/factories.ts';
import { createUserKey, findKey, joinOrganization, openTestSession } from '#test/support/people.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';
import { insertRow } from '#test/support/rows.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

const cli = createCliFixture();

/** An organization with an owner, who holds a key and a session and has made a link. */
async function createEverything(email: string) {
  const { organization, owner } = await cli.createOrganization(email);
  const organizationId: string = organization.id;
  const key = await createUserKey(cli.db, organizationId, owner.id);
  await openTestSession(cli.db, owner.id, organizationId);
  const domain = await createDomain(cli.db, organizationId);
  const { rows } = await cli.db.query<{ id: string }>('select id from folders where organization_id = $1', [
    organizationId,
  ]);
  const link = await createLink(cli.db, {
    organizationId,
    domainId: domain.id,
    folderId: rows[0]!.id,
    rules: [{ priority: 1, osTypes: ['ios'], destination: { value: 'https://rule.example/' } }],
    passwordHash: '$argon2id$of-the-link',
  });
  await cli.db.query('update short_links set created_by = $2 where id = $1', [link.id, owner.id]);
  return { organizationId, owner, key, domain, link };
}

describe('person export', () => {
  test('person export writes all data of a person and no secret', async () => {
    const { organizationId, owner, link, domain, key } = await createEverything('ada+x@export.example');
    await insertRow(cli.db, 'request_log', { organization_id: organizationId, user_id: owner.id });
    await createEverything('xada+x@export.example');
    await recordSignIn(
      createEntityManager(cli.db).fork(),
      { action: 'auth.login', userId: owner.id, client: 'c' },
      new Date(),
    );
    const { out, err, code } = await cli.run(['person', 'export', '--email', 'Ada+X@export.example']);
    expect([code, err]).toEqual([0, '']);
    const held = JSON.parse(out);
    expect(held).toMatchObject({
      person: { id: owner.id, email: 'ada+x@export.example', name: 'ada+x', isStaff: false, hasPassword: true },
      organizations: [{ id: organizationId, name: 'Acme', role: 'owner' }],
      sessions: [{ organizationId }],
      apiKeys: [{ organizationId, name: 'User key', last4: key.slice(-4), revokedAt: null }],
      calls: [],
      imports: [],
      requestLog: [{ organizationId, method: 'GET', path: '/tag/list', status: 200 }],
      links: [{ id: link.id, domain: domain.domain, slug: link.slug }],
    });
    // By the command that made the organization, by its options; the other person's address is another one.
    const actions = held.auditLog.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['org create', 'auth.login']);
    expect(out).not.toMatch(/argon2|wm_live_|"key_?hash"|token/i);
    expect(await cli.run(['person', 'export', '--email', 'nobody@export.example'])).toMatchObject({
      code: 1,
      out: '',
      err: 'There is no user nobody@export.example.\n',
    });
  });
});

describe('person erase', () => {
  const email = 'grace.h+x@erase.example';

  test('person erase refuses the only owner of an organization and names the organization', async () => {
    const { organizationId, owner } = await createEverything('sole@erase.example');
    const { code, err } = await cli.run(['person', 'erase', '--email', 'sole@erase.example']);
    expect(code).toBe(1);
    expect(err).toContain(`sole@erase.example is the only owner of Acme (${organizationId})`);
    const { rows } = await cli.db.query('select email, deleted_at from users where id = $1', [owner.id]);
    expect(rows).toEqual([{ email: 'sole@erase.example', deleted_at: null }]);
  });

  test(
    'person erase removes account, sessions, keys, memberships and the e-mail in the audit log, and may be repeated',
    { tags: 'slow' },
    async () => {
      const { organizationId, owner, key, link } = await createEverything(email);
      const other = await cli.createOrganization('other@erase.example');
      const bystander = await cli.createOrganization(`x${email}`);
      await joinOrganization(cli.db, other.owner.id, organizationId, 'owner');
      await joinOrganization(cli.db, owner.id, other.organization.id, 'member');
      const read = {
        userId: other.owner.id,
        action: 'members.list',
        organizationIds: [organizationId],
        isAcross: false,
        subjectId: null,
      };
      const logged = { organization_id: organizationId, user_id: other.owner.id };
      await insertRow(cli.db, 'request_log', { ...logged, user_id: owner.id });
      await insertRow(cli.db, 'request_log', { ...logged, query: `search=${encodeURIComponent(email)}` });
      await insertRow(cli.db, 'request_log', { ...logged, answer_body: `{"email":"${email.toUpperCase()}"}` });
      const { id: keptCall } = await insertRow(cli.db, 'request_log', {
        ...logged,
        request_body: `{"email":"x${email}"}`,
      });
      const em = createEntityManager(cli.db).fork();
      for (const search of [email.toUpperCase(), 'grace.h+x', 'something else'])
        await recordRead(em, { ...read, search }, new Date());
      await cli.run(['person', 'export', '--email', email]);

      const erased = await cli.json(['person', 'erase', '--email', email.toUpperCase()]);
      expect(erased).toEqual({
        userId: owner.id,
        memberships: 2,
        sessions: 1,
        apiKeys: 1,
        auditLines: expect.any(Number),
      });
      const { rows: people } = await cli.db.query(
        'select email, name, password_hash, is_staff from users where id = $1',
        [owner.id],
      );
      expect(people).toEqual([{ email: null, name: 'Erased person', password_hash: null, is_staff: false }]);
      for (const table of ['sessions', 'memberships']) {
        expect((await cli.db.query(`select from ${table} where user_id = $1`, [owner.id])).rowCount).toBe(0);
      }
      expect(await findKey(cli.db, key)).toBeUndefined();
      const { rows: calls } = await cli.db.query('select id from request_log where organization_id = $1', [
        organizationId,
      ]);
      expect(calls).toEqual([{ id: keptCall }]);
      // The links of the erased person stay.
      expect((await cli.db.query('select from short_links where id = $1', [link.id])).rowCount).toBe(1);
      const { rows: lines } = await cli.db.query<{ text: string; search: string | null }>(
        `select to_jsonb(a)::text as text, details ->> 'search' as search from audit_log a order by id`,
      );
      expect(lines.filter(({ text }) => text.toLowerCase().replaceAll(`x${email}`, '').includes('grace'))).toEqual([]);
      expect(lines.map(({ search }) => search).filter(Boolean)).toEqual(['erased', 'erased', 'something else']);
      expect(lines.some(({ text }) => text.includes(bystander.owner.email))).toBe(true);
      // Nothing of the installation's rows holds the address any more, sealed values and other people's aside.
      const { rows: tables } = await cli.db.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      );
      for (const { name } of tables) {
        const { rows } = await cli.db.query<{ text: string }>(`select to_jsonb(t)::text as text from ${name} t`);
        const holding = rows.filter(({ text }) => text.toLowerCase().replaceAll(`x${email}`, '').includes(email));
        expect([name, holding]).toEqual([name, []]);
      }
      expect(await cli.json(['person', 'erase', '--email', email])).toEqual({
        userId: null,
        memberships: 0,
        sessions: 0,
        apiKeys: 0,
        auditLines: 0,
      });
      // The address is free.
      const again = await cli.createOrganization(email);
      expect(again.owner.id).not.toBe(owner.id);
    },
  );
});

describe('organization export', () => {
  test(
    'organization export writes all its data as lines of JSON, without secrets and without data of others',
    { tags: 'slow' },
    async () => {
      const { organizationId, owner, link, domain } = await createEverything('export@organization.example');
      const foreign = await createEverything('foreign@organization.example');
      const fileId = await createFile(cli.db, organizationId, 'meta-tag');
      const lostId = await createFile(cli.db, organizationId, 'qr-code');
      await createFolderStorage(join(cli.dataDir, 'files')).put(
        `meta-tag/${fileId}.png`,
        Buffer.from('a picture'),
        'image/png',
      );
      const { id: webhookId } = await insertRow(cli.db, 'webhooks', {
        organization_id: organizationId,
        url: 'https://hook.example/',
        secret_sealed: Buffer.from('sealed-secret'),
      });
      const count = 1_200;
      const click = { organizationId, linkId: link.id, domainId: domain.id, folderId: uuidv7() };
      await ingestClicks(
        cli.db,
        Array.from({ length: count }, () => testClick(click)),
      );
      const { code, out, err } = await cli.run(['organization', 'export', '--org', organizationId]);
      expect([code, err]).toEqual([0, '']);
      const lines = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
      const of = (type: string) => lines.filter((line) => line.type === type).map(({ data }) => data);
      expect(of('end')).toEqual([{ lines: lines.length - 1 }]);
      expect(of('organization')).toMatchObject([{ id: organizationId, name: 'Acme', plan: 'premium' }]);
      expect(of('member')).toContainEqual(
        expect.objectContaining({ userId: owner.id, email: owner.email, role: 'owner' }),
      );
      expect(of('domain')).toMatchObject([{ id: domain.id, domain: domain.domain }]);
      expect(of('link')).toMatchObject([
        {
          id: link.id,
          slug: link.slug,
          hasPassword: true,
          destination: { type: 'link' },
          rules: [{ osTypes: ['ios'], destination: { value: 'https://rule.example/' } }],
        },
      ]);
      const files = Object.fromEntries(of('file').map(({ id, content }) => [id, content]));
      expect(files).toEqual({ [fileId]: Buffer.from('a picture').toString('base64'), [lostId]: null });
      expect(of('webhook')).toMatchObject([{ id: webhookId, url: 'https://hook.example/' }]);
      expect(of('folder')).toMatchObject([{ name: 'Links', isDefault: true }]);
      expect(of('apiKey')).toHaveLength(1);
      expect(of('click')).toHaveLength(count);
      expect(of('auditLine').map(({ action }) => action)).toContain('org create');
      expect(/argon2|sealed-secret|hash|visitor|secret_/i.exec(out)).toBeNull();
      expect(out.includes(foreign.organizationId)).toBe(false);
      expect(await cli.run(['organization', 'export', '--org', uuidv7()])).toMatchObject({ code: 1, out: '' });
    },
  );

  test('organization export omits columns of bytes, which hold hashes and sealed values', async () => {
    const { organizationId } = await createEverything('bytes@organization.example');
    const { out } = await cli.run(['organization', 'export', '--org', organizationId]);
    // PostgreSQL writes bytes as a backslash, x and digits.
    expect(/"\\\\x[0-9a-f]*"/.exec(out)).toBeNull();
  });

  test('organization export without CLICKHOUSE_URL is refused while the API has clicks in ClickHouse', async () => {
    const { organizationId } = await createEverything('clickhouse@organization.example');
    const run = () => cli.run(['organization', 'export', '--org', organizationId]);
    await noteCurrentStore(emOf(cli.db), 'clickhouse');
    expect(await run()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('set CLICKHOUSE_URL') });
    await noteCurrentStore(emOf(cli.db), 'postgresql');
    expect((await run()).code).toBe(0);
  });
});
