// @module-tag slow

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { countRejected } from '#edge/journal/segments.ts';
import { clickLine } from '#test/support/clicks.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTcpProxy } from '#test/support/tcp-proxy.ts';
import { useShippingScene } from './shipping-fixture.ts';

const { edge, owner, root, counted, openShipper } = useShippingScene();

describe('a process’s own journal', () => {
  test('a click is in the statistics (5.5; how soon is measured by bench row I1)', async () => {
    const { id, slug } = await edge.link();
    await edge.visit(`/${slug}`);
    const clicks = await eventually(
      () => counted(id),
      (count) => count > 0,
    );
    expect(clicks).toBe(1);
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

  test('a backlog is shipped with the smallest pool that a process may have', async () => {
    const database = createDatabase({ url: edge.databaseUrl, poolMax: 2 });
    const { journal, shipper } = openShipper(database);
    for (let index = 0; index < 10_000; index += 1) journal.append(clickLine(owner), () => undefined);
    await eventually(journal.end, ({ position }) => position > 2 * 1_024 * 1_024);
    shipper.start();
    await journal.close();
    // Sooner than the pool's timeout for a connection.
    expect(await shipper.close(4_500)).toBe(true);
    expect(await counted(owner.linkId)).toBe(10_000);
    await database.close();
  });

  test('bad records are dead-lettered and stop no other record', async () => {
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
    const before = await countRejected(root());
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
  test('tries a database that was unreachable once more at once', async () => {
    await using proxy = await createTcpProxy(edge.databaseUrl);
    const database = createDatabase({ url: proxy.url });
    proxy.cut();
    const { journal, shipper } = openShipper(database);
    shipper.start();
    journal.append(clickLine(owner), () => undefined);
    await setTimeout(1_000);
    proxy.restore();
    await journal.close();
    expect(await shipper.close(10_000)).toBe(true);
    expect(await counted(owner.linkId)).toBe(1);
    await database.close();
  });

  test('ships the rest although the connection breaks at that very moment', async () => {
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

  test('does not wait for an unreachable database, and leaves the journal to the next process', async () => {
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
