// @module-tag slow

import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { createJournal } from '#edge/journal/journal.ts';
import { segmentPath } from '#edge/journal/segments.ts';
import { createShipper } from '#edge/shipper/shipper.ts';
import { clickLine } from '#test/support/clicks.ts';
import { silentLog } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { useShippingScene } from './shipping-fixture.ts';
import { insertRow } from '#test/support/rows.ts';
import { site } from '#test/support/site.ts';

const { edge, owner, root, counted, openShipper } = useShippingScene();

/** Leaves a journal as a process that has died does. */
function leaveJournal(...segments: string[]): { id: string; directory: string } {
  const id = randomUUID();
  const directory = join(root(), id);
  mkdirSync(directory, { recursive: true });
  for (const [index, text] of segments.entries()) writeFileSync(segmentPath(directory, index + 1), text);
  const own = readdirSync(root())
    .map((name) => join(root(), name, 'owner.json'))
    .find((path) => existsSync(path))!;
  const { machine } = JSON.parse(readFileSync(own, 'utf8')) as { machine: string };
  writeFileSync(join(directory, 'owner.json'), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', machine }));
  return { id, directory };
}

describe('journals of dead processes', () => {
  test('are adopted by one process, once, without a torn line', async () => {
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

  test('are shipped from the offset where the dead process stopped', async () => {
    const lines = Array.from({ length: 10 }, () => clickLine(owner));
    const { id, directory } = leaveJournal();
    const shipped = lines.slice(0, 4).join('');
    await insertRow(edge.db, 'journals', { id, segment: 1, position: shipped.length, ingested: 4 });
    writeFileSync(segmentPath(directory, 1), lines.join(''));
    await eventually(
      () => existsSync(directory),
      (exists) => !exists,
    );
    expect(await counted(owner.linkId)).toBe(6);
  });

  test(
    'of a suspended process on another machine are shipped whole, with its writes until it notices',
    { tags: 'nightly' },
    async () => {
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
      const name = 'adopting shipper';
      const database = createDatabase({ url: edge.databaseUrl, applicationName: name });
      const shipper = createShipper({ database, site, journal, root: folder, log: silentLog, now: Date.now, silence });
      shipper.start();
      await eventually(
        () => counted(owner.linkId),
        (clicks) => clicks === 2,
      );
      // It is not its own any more, and it has not looked yet.
      expect(readFileSync(path, 'utf8')).not.toContain('elsewhere');
      // Nor does a connection that breaks at that moment keep it from being shipped whole.
      await edge.db.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);
      appendFileSync(segmentPath(directory, 2), clickLine(owner));
      appendFileSync(segmentPath(directory, 3), clickLine(owner));
      await eventually(
        () => existsSync(directory),
        (isThere) => !isThere,
      );
      expect(await counted(owner.linkId)).toBe(4);
      await journal.close();
      expect(await shipper.close(5_000)).toBe(true);
      await database.close();
    },
  );

  test('are adopted although clicks come to the process’s own journal without a pause', async () => {
    const folder = join(edge.dataDir, 'busy');
    mkdirSync(folder);
    const { journal, shipper } = openShipper(edge.db, undefined, folder);
    shipper.start();
    const clicking = setInterval(() => journal.append(clickLine(owner), () => undefined), 1);
    await eventually(
      () => counted(owner.linkId),
      (clicks) => clicks > 0,
    );
    const left = leaveJournal(clickLine(owner));
    const directory = join(folder, left.id);
    renameSync(left.directory, directory);
    await eventually(
      () => existsSync(directory),
      (isThere) => !isThere,
    );
    clearInterval(clicking);
    await journal.close();
    expect(await shipper.close(5_000)).toBe(true);
  });

  test('a living process’s journal is left alone', async () => {
    const journal = createJournal({ root: root(), fsync: false });
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
