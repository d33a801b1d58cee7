import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { botMark, clickColumns, copyField } from '#core/clicks/click.ts';
import { finishJournal, ingest, isRefusal, OffsetMovedError, readOffset } from '#db/clicks/ingest.ts';
import { readClicks } from '#db/clicks/lines.ts';
import { clickLine, type ClickOwner } from '#test/support/clicks.ts';
import { createLink, deleteLink } from '#test/support/edge-factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { site } from '#test/support/site.ts';

let client: PoolClient;
let organization: TestOrganization;
let domain: { id: string; domain: string };
let owner: ClickOwner;
let journalId: string;

const start = { segment: 1, position: 0 };
const at = (position: number, segment = 1) => ({ segment, position });
const countsOf = (perLink: ReadonlyMap<string, { clicks: number }>) =>
  Object.fromEntries([...perLink].map(([linkId, { clicks }]) => [linkId, clicks]));
const clicksOf = async (...lines: string[]) => (await readClicks(Buffer.from(lines.join('')))).clicks;
const newLink = () =>
  createLink(db, { organizationId: organization.id, domainId: domain.id, folderId: organization.folderId });
const count = async (linkId: string) =>
  (await db.query<{ n: number }>('select count(*) as n from clicks where link_id = $1', [linkId])).rows[0]!.n;
const counter = async (linkId: string) =>
  (await db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [linkId])).rows[0]?.clicks;

const db = useTestDatabase();
beforeAll(async () => {
  organization = await createOrganization(db);
  domain = await createDomain(db, organization.id);
  client = await db.pool.connect();
});
afterAll(async () => {
  client.release();
});
beforeEach(async () => {
  owner = { organization, domain, linkId: (await newLink()).id };
  journalId = randomUUID();
  await readOffset(client, journalId);
});

describe('ingest', () => {
  test('a new journal has its offset at the beginning', async () => {
    expect(await readOffset(client, journalId)).toEqual(start);
  });

  test('the counter of a link holds the moment of its latest click', async () => {
    const lineAt = (clicked_at: string) => clickLine(owner, { clicked_at });
    const lastClick = async () =>
      (
        await db.query<{ at: Date }>('select last_clicked_at as at from link_counters where link_id = $1', [
          owner.linkId,
        ])
      ).rows[0]?.at.toISOString();
    const late = '2026-11-20T10:15:00.500Z';
    const clicks = await clicksOf(lineAt('2026-11-20T10:14:59.999Z'), lineAt(late));
    await ingest(client, site, { journalId, from: start, to: at(100), clicks, rejected: 0 });
    expect(await lastClick()).toBe(late);
    // A journal of an edge that was away brings older clicks later.
    const older = await clicksOf(lineAt('2026-11-19T00:00:00.000Z'));
    await ingest(client, site, { journalId, from: at(100), to: at(200), clicks: older, rejected: 0 });
    expect(await lastClick()).toBe(late);
    expect(await counter(owner.linkId)).toBe(3);
  });

  test('clicks, counters and the offset are stored together', async () => {
    const clicks = await clicksOf(clickLine(owner), clickLine(owner));
    expect(await ingest(client, site, { journalId, from: start, to: at(100, 2), clicks, rejected: 1 })).toEqual({
      ingested: 2,
      dropped: 0,
    });
    expect(await count(owner.linkId)).toBe(2);
    expect(await counter(owner.linkId)).toBe(2);
    expect(await readOffset(client, journalId)).toEqual(at(100, 2));
    const { rows: journals } = await db.query(
      'select ingested, rejected, dropped, finished_at from journals where id = $1',
      [journalId],
    );
    expect(journals).toEqual([{ ingested: 2, rejected: 1, dropped: 0, finished_at: null }]);
    await finishJournal(client, journalId);
    expect(
      (await db.query('select 1 from journals where id = $1 and finished_at is not null', [journalId])).rowCount,
    ).toBe(1);
  });

  test('a batch that is sent twice is ingested once', async () => {
    const batch = { journalId, from: start, to: at(100), clicks: await clicksOf(clickLine(owner)), rejected: 0 };
    await ingest(client, site, batch);
    await expect(ingest(client, site, batch)).rejects.toThrow(OffsetMovedError);
    expect(await count(owner.linkId)).toBe(1);
    expect(await counter(owner.linkId)).toBe(1);
  });

  test('a batch that fails leaves no rows', async () => {
    const clicks = await clicksOf(clickLine(owner), clickLine(owner, { folder_id: 'no uuid' }));
    const error: unknown = await ingest(client, site, {
      journalId,
      from: start,
      to: at(100),
      clicks,
      rejected: 0,
    }).catch((e: unknown) => e);
    expect(isRefusal(error)).toBe(true);
    expect(await count(owner.linkId)).toBe(0);
    expect(await counter(owner.linkId)).toBeUndefined();
    expect(await readOffset(client, journalId)).toEqual(start);
  });

  test('clicks of deleted links are dropped and counted (12.2)', async () => {
    const deleted = await newLink();
    await deleteLink(db, deleted.id);
    const clicks = await clicksOf(
      clickLine(owner),
      clickLine({ ...owner, linkId: deleted.id }),
      clickLine({ ...owner, linkId: randomUUID() }),
    );
    expect(await ingest(client, site, { journalId, from: start, to: at(9), clicks, rejected: 0 })).toEqual({
      ingested: 1,
      dropped: 2,
    });
    expect(await count(deleted.id)).toBe(0);
    const { rows: journals } = await db.query('select dropped from journals where id = $1', [journalId]);
    expect(journals).toEqual([{ dropped: 2 }]);
  });

  test('many shippers with the same links in any order do not deadlock', { tags: 'slow' }, async () => {
    const links = await Promise.all(Array.from({ length: 20 }, newLink));
    await Promise.all(
      Array.from({ length: 8 }, async (_, shipper) => {
        const racer = await db.pool.connect();
        const id = randomUUID();
        let from = await readOffset(racer, id);
        for (let round = 1; round <= 5; round += 1) {
          const order = shipper % 2 === 0 ? links : links.toReversed();
          const clicks = await clicksOf(...order.map((link) => clickLine({ ...owner, linkId: link.id })));
          await ingest(racer, site, { journalId: id, from, to: at(round), clicks, rejected: 0 });
          from = at(round);
        }
        racer.release();
      }),
    );
    for (const link of links) expect(await counter(link.id)).toBe(40);
  });

  test('texts of every kind are stored unchanged', async () => {
    const texts = ['\\', '\\N', '\\.', 'a\tb\nc\rd', '"', "'", '{}', 'null', '', '👩‍💻', '\\x00', '\u2028'];
    const lines = texts.map((text) => clickLine(owner, { destination: copyField(text), city: copyField(text) }));
    await ingest(client, site, { journalId, from: start, to: at(100), clicks: await clicksOf(...lines), rejected: 0 });
    const { rows: stored } = await db.query<{ destination: string; city: string }>(
      'select destination, city from clicks where link_id = $1',
      [owner.linkId],
    );
    expect(stored.map(({ destination }) => destination).toSorted()).toEqual(texts.toSorted());
    expect(stored.map(({ city }) => city).toSorted()).toEqual(texts.toSorted());
  });

  test('clicks whose partition is created during the ingest are not refused: the next attempt takes them', async () => {
    const clicks = await clicksOf(clickLine(owner, { clicked_at: '2019-05-06T07:08:09.000Z' }));
    const batch = { journalId, from: start, to: at(100), clicks, rejected: 0 };
    const { late } = await db.transaction(async (tx) => {
      await tx.query('lock table clicks_default in access exclusive mode');
      const ingesting = ingest(client, site, batch).catch((e: unknown) => e);
      await eventually(
        async () =>
          (await db.query(`select from pg_locks where not granted and relation = 'clicks_default'::regclass`)).rowCount,
        (waiting) => waiting === 1,
      );
      await tx.query(`select create_click_month('2019-05'), attach_click_month('2019-05')`);
      return { late: ingesting };
    });
    const error = await late;
    expect(error).toBeInstanceOf(Error);
    expect(isRefusal(error)).toBe(false);
    await ingest(client, site, batch);
    expect(await count(owner.linkId)).toBe(1);
  });

  test('the database ends the transaction of an edge that has vanished with its locks', async () => {
    let setting: unknown;
    await ingest(
      client,
      site,
      { journalId, from: start, to: at(100), clicks: await clicksOf(clickLine(owner)), rejected: 0 },
      async () => {
        const { rows } = await client.query('show idle_in_transaction_session_timeout');
        setting = rows[0];
      },
    );
    expect(setting).toEqual({ idle_in_transaction_session_timeout: '30s' });
  });

  test('a line that ends a COPY early is refused', async () => {
    const bytes = Buffer.from(clickLine(owner));
    const clicks = {
      ...(await clicksOf(clickLine(owner))),
      bytes: Buffer.concat([bytes, Buffer.from('\\.\n'), bytes]),
      count: 2,
    };
    const batch = { journalId, from: start, to: at(100), clicks, rejected: 0 };
    const error: unknown = await ingest(client, site, batch).catch((e: unknown) => e);
    expect(isRefusal(error)).toBe(true);
    expect(await count(owner.linkId)).toBe(0);
  });
});

test('visits of bots go beside the clicks in the same transaction, and change no counter and no event', async () => {
  const bot = (line: string, kind = 'crawler'): string => `${botMark}${line.slice(0, -1)}\t${kind}\tother-crawler\n`;
  const { id: gone } = await createLink(db, {
    organizationId: owner.organization.id,
    domainId: owner.domain.id,
    folderId: owner.organization.folderId,
  });
  await deleteLink(db, gone);
  const lines = [
    bot(clickLine(owner)),
    clickLine(owner),
    bot(clickLine(owner), 'scanner'),
    bot(clickLine({ ...owner, linkId: gone })),
    clickLine(owner),
    `${botMark}nonsense\n`,
  ];
  const { clicks, bots, rejected } = await readClicks(Buffer.from(lines.join('')));
  expect([clicks.count, bots.count, rejected.map(String)]).toEqual([2, 3, ['nonsense\n']]);
  const batch = { journalId, from: start, to: at(100), clicks, bots, rejected: 1 };
  const died = () => Promise.reject(new Error('the process died'));
  await expect(ingest(client, site, batch, died)).rejects.toThrow('died');
  const kinds = async () =>
    (await db.query('select agent_kind as kind from bot_clicks where link_id = $1 order by 1', [owner.linkId])).rows;
  expect(await kinds()).toEqual([]);
  expect(await ingest(client, site, batch)).toEqual({ ingested: 2, dropped: 0 });
  expect(await kinds()).toEqual([{ kind: 'crawler' }, { kind: 'scanner' }]);
  const { rows } = await db.query('select clicks from link_counters where link_id = $1', [owner.linkId]);
  expect(rows).toEqual([{ clicks: 2 }]);
});

describe('readClicks', () => {
  const line = (changes: object = {}): string => clickLine(owner, changes);

  test('counts clicks by quarter of an hour', async () => {
    const other = { ...owner, linkId: randomUUID() };
    const at = (time: string): object => ({ clicked_at: `2030-01-31T${time}.000Z` });
    const lines = [
      line(at('00:14:59')),
      line(at('00:15:00')),
      clickLine(other, at('00:29:00')),
      line(at('00:00:00')),
      line(at('23:59:59')),
    ];
    const { clicks } = await readClicks(Buffer.from(lines.join('')));
    expect(clicks.quarters.map(({ day, quarter, perLink }) => [day, quarter, countsOf(perLink)])).toEqual([
      ['2030-01-31', 0, { [owner.linkId]: 2 }],
      ['2030-01-31', 1, { [owner.linkId]: 1, [other.linkId]: 1 }],
      ['2030-01-31', 95, { [owner.linkId]: 1 }],
    ]);
    expect(countsOf(clicks.perLink)).toEqual({ [owner.linkId]: 4, [other.linkId]: 1 });
    expect(clicks.perLink.get(owner.linkId)?.lastMs).toBe(Date.parse('2030-01-31T23:59:59.000Z'));
  });

  test('counts clicks by link, and lists their months', async () => {
    const other = { ...owner, linkId: randomUUID() };
    const bytes = Buffer.from(
      line({ clicked_at: '2030-01-31T23:59:59.999Z' }) + line() + clickLine(other, { city: 'Köln' }),
    );
    const { clicks, rejected } = await readClicks(bytes);
    expect(rejected).toEqual([]);
    expect(clicks).toMatchObject({ bytes, count: 3, columns: clickColumns.length });
    expect(countsOf(clicks.perLink)).toEqual({ [owner.linkId]: 2, [other.linkId]: 1 });
    expect([...clicks.months]).toEqual(['2030-01', new Date().toISOString().slice(0, 7)]);
  });

  test.each(['\n', 'no click\n', '\\.\n', '{"json": true}\n', `${'x'.repeat(200)}\n`])(
    'refuses %j among others',
    async (bad) => {
      const [first, last] = [line(), line()];
      const { clicks, rejected } = await readClicks(Buffer.from(bad + first + bad + last));
      expect([clicks.count, clicks.bytes.toString()]).toEqual([2, first + last]);
      expect(rejected.map(String)).toEqual([bad, bad]);
    },
  );

  test('reads many lines, in several turns of the event loop, as it reads few', async () => {
    const others = Array.from({ length: 5_000 }, (_, index) => (index % 500 === 0 ? 'no click\n' : line()));
    const { clicks, rejected } = await readClicks(Buffer.from(others.join('')));
    expect([clicks.count, clicks.perLink.get(owner.linkId)?.clicks, rejected.length]).toEqual([4_990, 4_990, 10]);
    expect(clicks.bytes.toString()).toBe(others.filter((text) => text !== 'no click\n').join(''));
  });

  test('refuses lines without an end, with too few columns, or of a later release', async () => {
    for (const bad of [
      line().slice(0, -1),
      line().split('\t').slice(0, 20).join('\t'),
      line().replace('\n', '\tmore\n'),
    ]) {
      const { clicks, rejected } = await readClicks(Buffer.from(bad));
      expect([clicks.count, clicks.bytes.length, rejected.length]).toEqual([0, 0, 1]);
    }
  });
});
