import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { EdgeRoleError, ensureEdgeRole, grantEdgeRole } from '#db/connection/edge-role.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { edgeRole, edgeUrlOf } from '#test/support/stack.ts';

// That the rights suffice is shown by every other test of the edge: `createTestEdge` gives it no more.

let asEdge: Database;
const edge = useTestEdge();
beforeAll(async () => {
  asEdge = createDatabase({ url: edgeUrlOf(edge.databaseUrl) });
});
afterAll(() => asEdge.close());

const refused = { code: '42501', message: expect.stringContaining('permission denied') };

describe("the role of an edge's connections", () => {
  test('all connections of a test’s edge use the edge role', async () => {
    await edge.visit('/any');
    const { rows } = await edge.db.query(
      `select distinct usename, application_name from pg_stat_activity
       where datname = current_database() and application_name like 'waymark edge%' order by 2`,
    );
    expect(rows).toEqual([
      { usename: edgeRole, application_name: 'waymark edge' },
      { usename: edgeRole, application_name: 'waymark edge listener' },
    ]);
  });

  test('has exactly the listed rights', async () => {
    const { rows } = await edge.db.query<{ name: string; rights: string }>(
      `select c.relname as name, string_agg(p.kind || case when has_table_privilege($1, c.oid, p.kind) then '' else
          (select ' of ' || string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              and has_column_privilege($1, c.oid, a.attnum, p.kind)) end, '; ' order by p.place) as rights
       from pg_class c
       join unnest(array['select', 'insert', 'update', 'delete', 'references']) with ordinality p (kind, place)
         on has_table_privilege($1, c.oid, p.kind)
           or (p.kind <> 'delete' and has_any_column_privilege($1, c.oid, p.kind))
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
       group by 1 order by 1`,
      [edgeRole],
    );
    expect(Object.fromEntries(rows.map(({ name, rights }) => [name, rights]))).toEqual({
      bot_clicks: 'insert',
      click_days: 'select; insert; update',
      clicks: 'insert',
      destinations: 'select',
      domains: 'select',
      event_queue: 'insert',
      event_scopes: 'insert',
      events: 'insert',
      files: 'select of id, deleted_at, url_key, taken_down_at, width, height',
      installation: 'select',
      journals: 'select; insert; update; delete',
      link_caps: 'select; insert; update',
      link_counters: 'select; insert; update',
      link_password_failures: 'select; insert; update; delete',
      link_reports: 'select; insert; update of reports, notes, clients, reported_at, handled_at',
      link_tags: 'select',
      meta_tags: 'select',
      migrations: 'select',
      organizations: 'select of id, suspended_at, deleted_at, honours_gpc, threat_policy',
      outbox: 'select of kind, created_at, parked_at, lane, organization_id',
      rules: 'select',
      scan_days: 'select of organization_id, day, is_spent',
      short_links: 'select',
      tags: 'select of id, deleted_at',
      taken_down_names: 'select of slug_key, domain',
      threat_verdicts: 'select of url_hash, threat_types',
      visitor_keys: 'select; insert',
      webhooks:
        'select of organization_id, events, deleted_at, scope_folder_ids, scope_tag_ids, scope_domain_ids, scope_link_ids',
      workers: 'select',
    });
  });

  test.each([
    ['API keys', 'select key_hash from api_keys'],
    ['sessions', 'select token_hash from sessions'],
    ['people', 'select email, password_hash from users'],
    ['webhook secrets', 'select secret_sealed from webhooks'],
    ['where webhooks lead', 'select url from webhooks'],
    ['what webhooks were sent', 'select body from events'],
    ['stored answers', 'select * from idempotency_keys'],
    ['clicks', 'select * from clicks'],
    ['names of organizations', 'select name from organizations'],
    ['the audit log', 'select * from audit_log'],
    ['a link', `update short_links set is_active = true`],
    ['a new link', `insert into short_links (id) values ('${randomUUID()}')`],
    ['a destination', `update destinations set value = 'https://evil.example'`],
    ['a domain', 'update domains set is_verified = true'],
    ['a plan', `update organizations set plan = 'premium'`],
    ['an account', `insert into users (id, type, name) values ('${randomUUID()}', 'human', 'X')`],
    ['the fingerprint of the key', `update installation set value = '"x"'`],
    ['work for the relay', `insert into outbox (kind, subject_id) values ('x', '${randomUUID()}')`],
    ['a table of its own', 'create table mine (id int)'],
    ['a partition that no month needs', `select create_click_month('2030-01')`],
    ['a file of the server', `select pg_read_file('postgresql.conf')`],
  ])('neither reads nor writes %s', async (_what, statement) => {
    await expect(asEdge.query(statement)).rejects.toMatchObject(refused);
  });

  test("makes months of clicks by the owner's function, and gets nothing else done by it", async () => {
    const months = async (): Promise<string[]> =>
      (
        await edge.db.query<{ name: string }>(
          `select relname as name from pg_class where relname ~ '^clicks_y.*m..$' and relkind = 'p' order by 1`,
        )
      ).rows.map(({ name }) => name);
    const before = await months();
    for (const month of ['2199-01', '1999-01', '2026-13', '2026-1', `2026-01'; drop table clicks; --`])
      await expect(asEdge.query('select ensure_click_month($1)', [month])).rejects.toMatchObject({
        code: expect.stringMatching(/^220/),
      });
    expect(await months()).toEqual(before);
    // Functions do not use the caller's own tables of the same names.
    await asEdge.transaction(async (tx) => {
      await tx.query('create temporary table clicks_default (clicked_at timestamptz) on commit drop');
      await tx.query('create temporary table clicks (like clicks_default) on commit drop');
      await tx.query(`select ensure_click_month('2030-01')`);
    });
    expect(await months()).toEqual([...before, 'clicks_y2030m01'].toSorted());
  });
});

describe('grantEdgeRole', () => {
  test('revokes further rights, and may be repeated while edges work', async () => {
    await edge.db.query(`grant select on users, api_keys to ${edgeRole}`);
    await edge.db.query(`grant update (slug) on short_links to ${edgeRole}`);
    await Promise.all([0, 1, 2].map(() => grantEdgeRole(edge.databaseUrl, edgeRole)));
    for (const statement of ['select * from users', 'select * from api_keys', `update short_links set slug = 'x'`])
      await expect(asEdge.query(statement)).rejects.toMatchObject(refused);
    const { slug } = await edge.link();
    expect((await edge.visit(`/${slug}`)).status).toBe(302);
  });

  test('refuses a missing role and a superuser', async () => {
    await expect(grantEdgeRole(edge.databaseUrl, 'no "such" role')).rejects.toThrow(
      new EdgeRoleError(
        'There is no role no "such" role. Make it first: create role "no ""such"" role" login password \'…\';',
      ),
    );
    const owner = decodeURIComponent(new URL(edge.databaseUrl).username);
    await expect(grantEdgeRole(edge.databaseUrl, owner)).rejects.toThrow(EdgeRoleError);
  });

  test('refuses a role that may not log in, as one of a restore without a superuser', async () => {
    const role = `waymark_test_${randomUUID().replaceAll('-', '')}`;
    await edge.db.query(`create role ${role}`);
    try {
      await expect(grantEdgeRole(edge.databaseUrl, role)).rejects.toThrow(
        new EdgeRoleError(`${role} may not log in. Let it first: alter role "${role}" login password '…';`),
      );
    } finally {
      await edge.db.query(`drop role ${role}`);
    }
  });

  test('makes the role where it may, with a password of any characters, and gives it another one', async () => {
    const role = `waymark_test_${randomUUID().replaceAll('-', '')}`;
    try {
      for (const password of [`it's "$1" @:/?#%\\`, 'another']) {
        await ensureEdgeRole(edge.databaseUrl, role, password);
        const url = new URL(edge.databaseUrl);
        url.username = role;
        url.password = encodeURIComponent(password);
        const db = createDatabase({ url: url.href });
        expect((await db.query('select current_user as name, count(*) from short_links')).rows).toMatchObject([
          { name: role },
        ]);
        await db.close();
      }
    } finally {
      await edge.db.query(`drop owned by ${role}; drop role ${role}`);
    }
  });
});
