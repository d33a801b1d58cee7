// @module-tag slow

import { describe, expect, test } from 'vitest';
import { createImport } from '#commands/imports/imports.ts';
import { Import } from '#db/entities/imports.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { testSite } from '#test/support/api.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { useFixture } from '#test/support/fixture.ts';
import { createPerson } from '#test/support/people.ts';
import { eventually } from '#test/support/eventually.ts';
import { type ImportStack, startImportStack } from '#test/support/import-stack.ts';

const stack = useFixture(startImportStack);
/** Its imports take very many turns. */
const slow = useFixture(() =>
  startImportStack({ rowsAtOnce: 2, turnMs: 1, restMs: 1, isBesideOthers: () => Promise.resolve(true) }),
);

const fileOf = (rows: number, name: string): string =>
  ['keyword,url', ...Array.from({ length: rows }, (_, index) => `${name}-${index},https://example.com/${index}`)].join(
    '\n',
  );
const linksOf = async ({ api }: ImportStack, organizationId: string): Promise<number> =>
  (
    await api.db.query<{ count: number }>(
      'select count(*) as count from short_links where organization_id = $1 and deleted_at is null',
      [organizationId],
    )
  ).rows[0]!.count;

describe('importLinks', () => {
  test('an import ends early when its organization is suspended, and keeps the imported links', async () => {
    const { db } = slow.api;
    const organization = await createOrganization(db);
    const { body } = await slow.send(fileOf(500, 'suspended'), {}, organization.key);
    await eventually(
      () => linksOf(slow, organization.id),
      (links) => links > 3,
    );
    await db.query('update organizations set suspended_at = now() where id = $1', [organization.id]);
    const { state, imported } = await eventually(
      () => emOf(db).findOneOrFail(Import, { id: body.id }),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(state).toBe('failed');
    expect(imported).toBe(await linksOf(slow, organization.id));
    const { rows } = await db.query(
      'select state, finished_at is not null as done, due_at from imports where id = $1',
      [body.id],
    );
    expect(rows).toEqual([{ state: 'failed', done: true, due_at: null }]);
  });

  test('a cancelled import ends between two batches, and keeps the imported links', async () => {
    const { db } = slow.api;
    const organization = await createOrganization(db);
    const { body } = await slow.send(fileOf(500, 'cancelled'), {}, organization.key);
    await eventually(
      () => linksOf(slow, organization.id),
      (links) => links > 3,
    );
    const headers = { 'x-api-key': organization.key };
    const { body: cancelled } = await slow.api.call('POST', `/short-link/import/${body.id}/cancel`, undefined, {
      headers,
    });
    expect(cancelled).toMatchObject({ state: 'cancelled', total: 500, skipped: 0, failed: 0 });
    expect(cancelled.imported + cancelled.notMade).toBe(500);
    await slow.lose();
    expect(await linksOf(slow, organization.id)).toBe(cancelled.imported);
  });

  test('an import whose workflow was lost continues at its current row', async () => {
    const { organization, db } = slow.api;
    const before = await linksOf(slow, organization.id);
    const { body } = await slow.send(fileOf(60, 'lost'));
    await eventually(
      () => linksOf(slow, organization.id),
      (links) => links > before + 5,
    );
    await slow.lose();
    // Makes the import due at once instead of in half a minute; its last activity may still postpone it.
    await eventually(
      async () => {
        await db.query('update imports set due_at = now() where id = $1 and due_at is not null', [body.id]);
        return (await slow.api.call('GET', `/short-link/import/${body.id}`)).body;
      },
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(await linksOf(slow, organization.id)).toBe(before + 60);
    const rows = await db.query('select count(*)::int as rows from import_rows where import_id = $1 and state = $2', [
      body.id,
      'imported',
    ]);
    expect(rows.rows).toEqual([{ rows: 60 }]);
  });

  test("an import applies the plan's current limits to each row", async () => {
    const { db } = stack.api;
    const free = await createOrganization(db, { plan: 'free' });
    const { id: userId } = await createPerson(db, { [free.id]: 'owner' });
    const actor = { organizationId: free.id, plan: 'free' as const, userId, permissions: {} };
    const rows = Array.from({ length: 14 }, (_, index) => [`free-${index}`, 'https://example.com/']);
    const draft = {
      format: 'yourls' as const,
      header: ['keyword', 'url'],
      rows,
      domainId: undefined,
      folderId: undefined,
      bytes: 0,
    };
    const { id } = await emOf(db).transactional((em) =>
      createImport(em, actor, draft, { site: testSite, now: new Date(), bytesPerDay: 0 }),
    );
    await eventually(
      async () => emOf(db).findOneOrFail(Import, { id }),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(await emOf(db).findOne(Import, { id })).toMatchObject({
      state: 'completed',
      imported: 10,
      skipped: 0,
      failed: 4,
    });
    const failed = await emOf(db).getRepository(Import).listRows(id, { state: 'failed', limit: 50, page: 0 });
    expect(failed.map(({ row, error }) => [row, error])).toEqual(
      [11, 12, 13, 14].map((row) => [row, 'PLAN_LIMIT_REACHED: Your plan allows 10 short links.']),
    );
  });
});

describe('a row that the database refuses', () => {
  test('rows that the database refuses fail alone, consecutive ones too, and all other rows are imported', async () => {
    const { db, organization } = stack.api;
    await db.query(`create or replace function refuse() returns trigger language plpgsql as
      $$ begin if new.slug ~ '^poison-(7|8|9|15)$' then raise exception 'no' using errcode = '22000'; end if; return new; end $$`);
    await db.query('create trigger refuse before insert on short_links for each row execute function refuse()');
    try {
      const before = await linksOf(stack, organization.id);
      const { counts, rows } = await stack.run(fileOf(20, 'poison'));
      expect(counts).toEqual({ total: 20, imported: 16, skipped: 0, failed: 4 });
      const failed = rows.filter(({ state }) => state === 'failed');
      expect(failed.map(({ row, error }) => [row, error])).toEqual(
        [8, 9, 10, 16].map((row) => [row, 'The database refuses this row.']),
      );
      expect((await linksOf(stack, organization.id)) - before).toBe(16);
    } finally {
      await db.query('drop trigger refuse on short_links');
    }
  });
});

describe('folders and tags of imported rows', () => {
  const header = 'destination,originUrl,destinationType,slug,tags,folder,qrCode';
  const foldersOf = async ({ id }: TestOrganization) => {
    const { rows } = await stack.api.db.query<{ name: string }>(
      'select name from folders where organization_id = $1 and not is_default order by name',
      [id],
    );
    return rows.map(({ name }) => name);
  };

  test('two imports that need the same folders and tags at once create each one once', async () => {
    const organization = await createOrganization(stack.api.db);
    const { id: domainId } = await createDomain(stack.api.db, organization.id);
    const lines = Array.from(
      { length: 150 },
      (_, index) => `https://example.com/${index},x,link,two-${index},tag${index % 30},Folder ${index % 10},`,
    );
    const files = [lines, lines.toReversed()].map((all) => [header, ...all].join('\n'));
    const done = await Promise.all(files.map((file) => stack.run(file, { domainId }, organization.key)));
    const sum = (state: 'imported' | 'skipped') => done.reduce((total, { counts }) => total + counts[state], 0);
    expect({ imported: sum('imported'), skipped: sum('skipped') }).toEqual({ imported: 150, skipped: 150 });
    expect(await foldersOf(organization)).toHaveLength(10);
  });

  test('failed rows create no folders or tags, and each has a short error', async () => {
    const organization = await createOrganization(stack.api.db);
    const options = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`unknown${index}`, 1]));
    const { rows } = await stack.run(
      [
        header,
        'https://example.com/,x,link,kept,,Kept,',
        'ftp://example.com/,x,link,refused,,Wrong,',
        'https://example.com/other,x,link,kept,,Taken,',
        `https://example.com/,x,link,long,,Long,"${JSON.stringify({ options }).replaceAll('"', '""')}"`,
      ].join('\n'),
      {},
      organization.key,
    );
    expect(rows.map(({ state }) => state)).toEqual(['imported', 'failed', 'failed', 'failed']);
    expect(await foldersOf(organization)).toEqual(['Kept']);
    expect(rows[3]!.error).toMatch(/^qrCode\.options\.unknown0: is not a known field; .{1,2000} …$/);
  });
});
