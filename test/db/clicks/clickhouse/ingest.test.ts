// @module-tag process

import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClickHouseIngest, readPlan } from '#db/clicks/clickhouse/ingest.ts';
import { isRefusal, OffsetMovedError, readOffset } from '#db/clicks/ingest.ts';
import { readClicks } from '#db/clicks/lines.ts';
import { botMark } from '#core/clicks/click.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { clickLine, type ClickOwner } from '#test/support/clicks.ts';
import { createLink, deleteLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { site } from '#test/support/site.ts';
import { useTestDatabase } from '#test/support/stack.ts';

describe.skipIf(chdb === undefined)('ingest into ClickHouse', () => {
  const db = useTestDatabase();
  const clickhouse = useClickHouse();
  const start = { segment: 1, position: 0 };
  const at = (position: number) => ({ segment: 1, position });
  const tags = [randomUUID(), randomUUID()];

  let client: PoolClient;
  let organization: TestOrganization;
  let domain: { id: string; domain: string };
  let owner: ClickOwner;
  let journalId: string;

  beforeAll(async () => {
    organization = await createOrganization(db);
    domain = await createDomain(db, organization.id);
    client = await db.pool.connect();
  });
  afterAll(() => client?.release());
  beforeEach(async () => {
    const { id } = await createLink(db, {
      organizationId: organization.id,
      domainId: domain.id,
      folderId: organization.folderId,
    });
    owner = { organization, domain, linkId: id };
    journalId = randomUUID();
    await readOffset(client, journalId);
  });

  const batchOf = async (lines: readonly string[], from = start, to = at(100)) => ({
    journalId,
    from,
    to,
    clicks: (await readClicks(Buffer.from(lines.join('')))).clicks,
    rejected: 0,
  });
  const ingest = createClickHouseIngest;
  const died = new Error('the process died');
  const dies = () => Promise.reject(died);
  const stored = async (): Promise<number> =>
    (
      await clickhouse.query<{ n: number }>('select count() as n from clicks where link_id = {id:UUID}', {
        id: owner.linkId,
      })
    )[0]!.n;
  const counted = async (): Promise<number | undefined> =>
    (await db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [owner.linkId])).rows[0]
      ?.clicks;

  test('a click keeps all of its values', async () => {
    const line = clickLine(owner, {
      id: '018e9c0f-0000-7000-8000-000000000001',
      clicked_at: '2024-04-02T12:34:56.789Z',
      visitor: String.raw`\\x00112233445566778899aabbccddeeff`,
      city: String.raw`a\\b\tc\nd`,
      country: '',
      is_qr_code: 't',
      tag_ids: `{${tags.join(',')}}`,
      destination: 'https://example.com/ä',
    });
    const bare = clickLine(owner, { tag_ids: '{}' });
    await ingest(clickhouse)(client, site, await batchOf([line, bare, clickLine(owner, { tag_ids: `{${tags[0]}}` })]));
    const rows = await clickhouse.query(
      'select * from clicks where link_id = {id:UUID} order by clicked_at, length(tag_ids)',
      { id: owner.linkId },
    );
    expect(rows).toMatchObject([
      {
        id: '018e9c0f-0000-7000-8000-000000000001',
        clicked_at: '2024-04-02 12:34:56.789',
        visitor: '00112233-4455-6677-8899-aabbccddeeff',
        city: 'a\\b\tc\nd',
        country: '',
        region: null,
        is_qr_code: true,
        tag_ids: tags,
        organization_id: organization.id,
        destination: 'https://example.com/ä',
      },
      { tag_ids: [], is_qr_code: false },
      { tag_ids: [tags[0]] },
    ]);
  });

  test('clicks are stored and counted, and those of deleted links are dropped', async () => {
    const gone = {
      ...owner,
      linkId: (
        await createLink(db, { organizationId: organization.id, domainId: domain.id, folderId: organization.folderId })
      ).id,
    };
    await deleteLink(db, gone.linkId);
    const batch = await batchOf([clickLine(owner), clickLine(gone), clickLine(owner)]);
    expect(await ingest(clickhouse)(client, site, batch)).toEqual({ ingested: 2, dropped: 1 });
    expect([await stored(), await counted()]).toEqual([2, 2]);
    expect(await readOffset(client, journalId)).toEqual(at(100));
    expect(await readPlan(client, journalId)).toBeUndefined();
    // Statistics of PostgreSQL would count days that have no clicks there.
    expect((await db.query('select 1 from click_days where organization_id = $1', [organization.id])).rowCount).toBe(0);
    expect(
      await clickhouse.query('select count() as n from clicks where link_id = {id:UUID}', { id: gone.linkId }),
    ).toEqual([{ n: 0 }]);
  });

  test('a batch that was stored and not counted has the same end again, and is stored once', async () => {
    const lines = [clickLine(owner), clickLine(owner)];
    await expect(ingest(clickhouse)(client, site, await batchOf(lines), dies)).rejects.toBe(died);
    expect([await stored(), await counted()]).toEqual([2, undefined]);
    expect(await readOffset(client, journalId)).toEqual(start);
    expect(await readPlan(client, journalId)).toEqual(at(100));
    await expect(ingest(clickhouse)(client, site, await batchOf(lines, start, at(200)))).rejects.toThrow(
      OffsetMovedError,
    );
    await ingest(clickhouse)(client, site, await batchOf(lines));
    expect([await stored(), await counted()]).toEqual([2, 2]);
  });

  test('ClickHouse ignores a batch whose first insert ends late', async () => {
    const lines = [clickLine(owner), clickLine(owner)];
    // The second attempt finds nothing, since the first one's insert is still under way.
    const late = { ...clickhouse, query: async () => [] };
    await expect(ingest(clickhouse)(client, site, await batchOf(lines), dies)).rejects.toBe(died);
    await ingest(late)(client, site, await batchOf(lines));
    expect([await stored(), await counted()]).toEqual([2, 2]);
  });

  test('a batch whose token ClickHouse has forgotten is found by its ids, also where a month of it is missing', async () => {
    const march = clickLine(owner, { clicked_at: '2024-03-31T23:59:59.999Z' });
    const april = clickLine(owner, { clicked_at: '2024-04-01T00:00:00.000Z' });
    const forgetful = {
      ...clickhouse,
      insert: (into: string, lines: Buffer) => clickhouse.insert(into, lines, randomUUID()),
    };
    await expect(ingest(forgetful)(client, site, await batchOf([march, april]), dies)).rejects.toBe(died);
    await clickhouse.execute(`delete from clicks where link_id = {id:UUID} and clicked_at >= '2024-04-01 00:00:00'`, {
      id: owner.linkId,
    });
    expect(await stored()).toBe(1);
    await ingest(forgetful)(client, site, await batchOf([march, april]));
    expect([await stored(), await counted()]).toEqual([2, 2]);
  });

  test('a record that ClickHouse cannot read is refused, and nothing of its batch is stored', async () => {
    const batch = await batchOf([clickLine(owner), clickLine(owner, { folder_id: 'x' })]);
    const error: unknown = await ingest(clickhouse)(client, site, batch).catch((failure: unknown) => failure);
    expect(isRefusal(error)).toBe(true);
    expect([await stored(), await counted()]).toEqual([0, undefined]);
    // Its half is planned anew, with a nearer end.
    await ingest(clickhouse)(client, site, await batchOf([clickLine(owner)], start, at(50)));
    expect([await stored(), await counted()]).toEqual([1, 1]);
  });

  test('visits of bots are there once too, in a table of their own', async () => {
    const bot = (line: string): string => `${botMark}${line.slice(0, -1)}\ttool\tmonitor\n`;
    const lines = [clickLine(owner), bot(clickLine(owner, { tag_ids: `{${tags.join(',')}}` })), bot(clickLine(owner))];
    const batch = { ...(await batchOf(lines)), ...(await readClicks(Buffer.from(lines.join('')))), rejected: 0 };
    await expect(ingest(clickhouse)(client, site, batch, dies)).rejects.toThrow(died);
    await ingest(clickhouse)(client, site, batch);
    const rows = await clickhouse.query(
      `select agent_kind as kind, agent_reason as reason, count() as n, sum(length(tag_ids)) as tags from bot_clicks
       where link_id = {id:UUID} group by kind, reason`,
      { id: owner.linkId },
    );
    expect(rows).toEqual([{ kind: 'tool', reason: 'monitor', n: 2, tags: 2 }]);
    expect([await stored(), await counted()]).toEqual([1, 1]);
  });
});
