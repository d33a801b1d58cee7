import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../../db/database.ts';
import { createJournal, type Journal } from '../../edge/journal/journal.ts';
import { countRejected, segmentPath } from '../../edge/journal/segments.ts';
import { createShipper, type Shipper } from '../../edge/shipper/shipper.ts';
import { clickLine, type ClickOwner } from '../support/clicks.ts';
import { deleteLink } from '../support/edge-factories.ts';
import { createTestEdge, silentLog, type TestEdge } from '../support/edge.ts';
import { eventually } from '../support/eventually.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';

let edge: TestEdge;
let root: string;
let owner: ClickOwner;

beforeAll(async () => {
  edge = await createTestEdge();
  root = join(edge.dataDir, 'journal');
});
afterAll(() => edge[Symbol.asyncDispose]());
beforeEach(async () => {
  owner = { ...edge, linkId: (await edge.link()).id };
});

const counted = async (linkId: string): Promise<number> =>
  (await edge.db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [linkId])).rows[0]
    ?.clicks ?? 0;

/** Leaves a journal as a process that has died does. */
function leaveJournal(...segments: string[]): { id: string; directory: string } {
  const id = randomUUID();
  const directory = join(root, id);
  mkdirSync(directory, { recursive: true });
  for (const [index, text] of segments.entries()) writeFileSync(segmentPath(directory, index + 1), text);
  const own = readdirSync(root)
    .map((name) => join(root, name, 'owner.json'))
    .find((path) => existsSync(path))!;
  const { machine } = JSON.parse(readFileSync(own, 'utf8')) as { machine: string };
  writeFileSync(join(directory, 'owner.json'), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', machine }));
  return { id, directory };
}

/** A shipper and a journal of their own, in the same folder. */
function openShipper(database: Database, segmentBytes?: number): { journal: Journal; shipper: Shipper } {
  const journal = createJournal({ root, fsync: false, segmentBytes });
  return { journal, shipper: createShipper({ database, journal, root, log: silentLog, now: Date.now }) };
}

describe('a process’s own journal', () => {
  test('a click is in the statistics long before 2 s (5.5)', async () => {
    const { id, slug } = await edge.link();
    await edge.visit(`/${slug}`);
    const startedAt = performance.now();
    await eventually(
      () => counted(id),
      (clicks) => clicks === 1,
      1_000,
    );
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test('segments go when they are shipped, the directory when the edge is closed', async () => {
    const { journal, shipper } = openShipper(edge.db, 2_000);
    shipper.start();
    for (let round = 1; round <= 5; round += 1) {
      for (let index = 0; index < 20; index += 1) journal.append(clickLine(owner), () => undefined);
      await eventually(
        () => counted(owner.linkId),
        (clicks) => clicks === round * 20,
      );
    }
    expect(journal.end().segment).toBe(5);
    await eventually(
      () => readdirSync(journal.directory),
      (names) => names.length === 2,
    );
    for (let index = 0; index < 20; index += 1) journal.append(clickLine(owner), () => undefined);
    await journal.close();
    expect(await shipper.close(5_000)).toBe(true);
    expect(await counted(owner.linkId)).toBe(120);
    expect(existsSync(journal.directory)).toBe(false);
    const { rows } = await edge.db.query(
      'select ingested, rejected, finished_at is not null as finished from journals where id = $1',
      [journal.id],
    );
    expect(rows).toEqual([{ ingested: 120, rejected: 0, finished: true }]);
  });

  test('what is behind is shipped by the fewest connections that a process may have', async () => {
    const database = createDatabase({ url: edge.databaseUrl, poolMax: 2 });
    const { journal, shipper } = openShipper(database);
    for (let index = 0; index < 10_000; index += 1) journal.append(clickLine(owner), () => undefined);
    await eventually(journal.end, ({ position }) => position > 2 * 1_024 * 1_024);
    shipper.start();
    await journal.close();
    // Sooner than whoever waits for a connection in vain gives up.
    expect(await shipper.close(4_500)).toBe(true);
    expect(await counted(owner.linkId)).toBe(10_000);
    await database.close();
  });

  test('clicks of a link that was deleted meanwhile are dropped and counted', async () => {
    const { journal, shipper } = openShipper(edge.db);
    journal.append(clickLine(owner), () => undefined);
    await deleteLink(edge.db, owner.linkId);
    shipper.start();
    await journal.close();
    await shipper.close(5_000);
    const { rows } = await edge.db.query('select ingested, dropped from journals where id = $1', [journal.id]);
    expect(rows).toEqual([{ ingested: 0, dropped: 1 }]);
  });

  test('bad records are set aside and stop no other', async () => {
    const { journal, shipper } = openShipper(edge.db);
    const bad = [
      '{"no": "click"}\n',
      clickLine(owner, { organization_id: 'x' }),
      'broken \n',
      clickLine(owner, { device: null }),
    ];
    for (let index = 0; index < 400; index += 1) {
      if (index % 100 === 50) journal.append(bad[Math.floor(index / 100)]!, () => undefined);
      journal.append(clickLine(owner), () => undefined);
    }
    const before = await countRejected(root);
    shipper.start();
    await eventually(
      () => counted(owner.linkId),
      (clicks) => clicks === 400,
    );
    await journal.close();
    await shipper.close(5_000);
    expect(shipper.state()).toMatchObject({ lagMs: 0, rejected: before + 4 });
    expect(readdirSync(journal.directory)).toEqual(['00000001.tsv.rejected']);
    expect(readFileSync(join(journal.directory, '00000001.tsv.rejected'), 'utf8')).toBe(bad.join(''));
    expect(await edge.clicks(owner.linkId)).toHaveLength(400);
    const again = openShipper(edge.db);
    again.shipper.start();
    await eventually(
      () => again.shipper.state().rejected,
      (rejected) => rejected === before + 4,
    );
    await again.journal.close();
    await again.shipper.close(5_000);
  });

  test('a connection that is cut in the middle loses and doubles nothing', async () => {
    const database = createDatabase({ url: edge.databaseUrl, applicationName: 'cut shipper' });
    const { journal, shipper } = openShipper(database, 100_000);
    shipper.start();
    const over = new AbortController();
    const cutting = (async () => {
      while (!over.signal.aborted) {
        await edge.db.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut shipper'`,
        );
        await setTimeout(37);
      }
    })();
    for (let round = 0; round < 40; round += 1) {
      for (let index = 0; index < 50; index += 1) journal.append(clickLine(owner), () => undefined);
      await setTimeout(25);
    }
    over.abort();
    await cutting;
    await journal.close();
    expect(await shipper.close(10_000)).toBe(true);
    expect(await counted(owner.linkId)).toBe(2_000);
    expect(await edge.clicks(owner.linkId)).toHaveLength(2_000);
    await database.close();
  });
});

describe('closing', () => {
  test('ships what is left although the connection breaks at that very moment', async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = `closing shipper ${round}`;
      const database = createDatabase({ url: edge.databaseUrl, applicationName: name });
      const { journal, shipper } = openShipper(database, 100_000);
      shipper.start();
      journal.append(clickLine(owner), () => undefined);
      await setTimeout(20 * round);
      await edge.db.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);
      await journal.close();
      expect(await shipper.close(10_000)).toBe(true);
      await database.close();
    }
  });

  test('does not wait for a database that is away, and leaves the journal to the next process', async () => {
    await using proxy = await createTcpProxy(edge.databaseUrl);
    const database = createDatabase({ url: proxy.url });
    const { journal, shipper } = openShipper(database, 100_000);
    shipper.start();
    proxy.cut();
    journal.append(clickLine(owner), () => undefined);
    await journal.close();
    expect(await shipper.close(10_000)).toBe(false);
    expect(existsSync(journal.directory)).toBe(true);
    await database.close();
  });
});

describe('journals of dead processes', () => {
  test('are adopted by whoever is first, once, without a torn line', async () => {
    const lines = Array.from({ length: 300 }, () => clickLine(owner));
    const { id, directory } = leaveJournal(
      lines.slice(0, 200).join(''),
      lines.slice(200).join('') + clickLine(owner).slice(0, -10),
    );
    const shippers = Array.from({ length: 4 }, () => openShipper(edge.db));
    for (const { shipper } of shippers) shipper.start();
    await eventually(
      () => existsSync(directory),
      (exists) => !exists,
    );
    expect(await counted(owner.linkId)).toBe(300);
    expect(await edge.clicks(owner.linkId)).toHaveLength(300);
    const { rows } = await edge.db.query(
      'select ingested, finished_at is not null as finished from journals where id = $1',
      [id],
    );
    expect(rows).toEqual([{ ingested: 300, finished: true }]);
    for (const { journal, shipper } of shippers) {
      await journal.close();
      await shipper.close(5_000);
    }
  });

  test('are taken up where the dead one stopped', async () => {
    const lines = Array.from({ length: 10 }, () => clickLine(owner));
    const { id, directory } = leaveJournal();
    const shipped = lines.slice(0, 4).join('');
    await edge.db.query('insert into journals (id, segment, position, ingested) values ($1, 1, $2, 4)', [
      id,
      shipped.length,
    ]);
    writeFileSync(segmentPath(directory, 1), lines.join(''));
    await eventually(
      () => existsSync(directory),
      (exists) => !exists,
    );
    expect(await counted(owner.linkId)).toBe(6);
  });

  test('are taken up although clicks come without a pause', async () => {
    const folder = join(edge.dataDir, 'busy');
    const journal = createJournal({ root: folder, fsync: false });
    const shipper = createShipper({ database: edge.db, journal, root: folder, log: silentLog, now: Date.now });
    const busy = { ...edge, linkId: (await edge.link()).id };
    const visits = setInterval(() => journal.append(clickLine(busy), () => undefined), 1);
    shipper.start();
    await eventually(
      () => counted(busy.linkId),
      (clicks) => clicks > 0,
    );
    // Moved before the edge's own shipper can see it.
    const { id, directory } = leaveJournal(clickLine(owner) + clickLine(owner));
    renameSync(directory, join(folder, id));
    try {
      await eventually(
        () => readdirSync(folder),
        (names) => !names.includes(id),
      );
    } finally {
      clearInterval(visits);
      await journal.close();
      await shipper.close(5_000);
    }
    expect(await counted(owner.linkId)).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of one elsewhere that is only suspended, what it writes until it looks is taken too', async () => {
    const folder = join(edge.dataDir, 'suspended');
    mkdirSync(folder);
    const left = leaveJournal(clickLine(owner), clickLine(owner));
    const directory = join(folder, left.id);
    const path = join(directory, 'owner.json');
    writeFileSync(
      join(left.directory, 'owner.json'),
      JSON.stringify({ pid: process.pid, startedAt: '1', machine: 'elsewhere' }),
    );
    renameSync(left.directory, directory);
    const journal = createJournal({ root: folder, fsync: false });
    const silence = { afterMs: 50, unseenMs: 2_000 };
    const shipper = createShipper({ database: edge.db, journal, root: folder, log: silentLog, now: Date.now, silence });
    shipper.start();
    await eventually(
      () => counted(owner.linkId),
      (clicks) => clicks === 2,
    );
    // It is not its own any more, and it has not looked yet.
    expect(readFileSync(path, 'utf8')).not.toContain('elsewhere');
    appendFileSync(segmentPath(directory, 2), clickLine(owner));
    appendFileSync(segmentPath(directory, 3), clickLine(owner));
    await eventually(
      () => existsSync(directory),
      (isThere) => !isThere,
    );
    expect(await counted(owner.linkId)).toBe(4);
    await journal.close();
    expect(await shipper.close(5_000)).toBe(true);
  });

  test('a living process’s journal is left alone', async () => {
    const journal = createJournal({ root, fsync: false });
    journal.append(clickLine(owner), () => undefined);
    const { directory } = leaveJournal(clickLine(owner));
    await eventually(
      () => existsSync(directory),
      (exists) => !exists,
    );
    expect(existsSync(segmentPath(journal.directory, 1))).toBe(true);
    expect(await counted(owner.linkId)).toBe(1);
    await journal.close();
    // A torn line of a living process is waited for: nothing of it was acknowledged yet.
    appendFileSync(segmentPath(journal.directory, 1), 'half a li');
  });
});
