// @module-tag process

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Manifest, readManifest, removeWarehouse, warehouseKey } from '#activities/warehouse/manifest.ts';
import { createWarehouseActivities, type WarehouseTurn } from '#activities/warehouse/warehouse.ts';
import { writeParquet } from '#adapters/parquet/parquet.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createS3Storage } from '#adapters/storage/s3.ts';
import { type Storage, StorageError } from '#core/files/storage.ts';
import { createClickHouseIngest } from '#db/clicks/clickhouse/ingest.ts';
import { hideClicks } from '#db/stats/rollups.ts';
import { activityEnvironment, asActivity } from '#test/support/activities.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { createLink, createTag, deleteLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { makeFolder } from '#test/support/folders.ts';
import { startS3Server } from '#test/support/s3-server.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

const hour = 3_600_000;
const unknown =
  'country region continent lang browser os referer utm_source utm_medium utm_campaign utm_term utm_content'.split(' ');

describe.skipIf(chdb === undefined)('files for a warehouse (5.11)', () => {
  const db = useTestDatabase();
  const clickhouse = useClickHouse();
  const folder = makeFolder();

  /** An organization with two links, and a click every six hours from the middle of January on. */
  async function createScene(count: number, by?: ReturnType<typeof createClickHouseIngest>) {
    const { id: organizationId, folderId } = await createOrganization(db);
    const { id: domainId, domain } = await createDomain(db, organizationId);
    const tagId = await createTag(db, organizationId);
    const links: { id: string; slug: string }[] = [];
    for (const title of ['Ünïcode "quoted"', undefined])
      links.push(
        await createLink(db, {
          organizationId,
          domainId,
          folderId,
          ...(title !== undefined && { title }),
          tagIds: [tagId],
        }),
      );
    const clicks = Array.from({ length: count }, (_, index) =>
      testClick({
        organizationId,
        domainId,
        folderId,
        linkId: links[index % 2]!.id,
        clickedAtMs: Date.UTC(2026, 0, 25) + index * 6 * hour + 789,
        tagIds: index % 3 === 0 ? [tagId] : [],
        city: ['Köln', 'a\tb\\c\n', undefined][index % 3],
        isQrCode: index % 4 === 0,
        ...(index % 10 === 9 && { bot: 'tool' as const }),
      }),
    );
    await ingestClicks(db, clicks, by);
    return { organizationId, domain, links, tagId, clicks: clicks.filter(({ bot }) => bot === undefined) };
  }

  const manifestOf = async (storage: Storage, organizationId: string): Promise<Manifest> =>
    (await readManifest(storage, organizationId))!;
  const storageOf = () => createFolderStorage(folder);
  async function run(
    from: { clickhouse?: typeof clickhouse } = {},
    sizes = { fileRows: 15, batchSize: 4 },
    storage = storageOf(),
  ): Promise<WarehouseTurn> {
    const activities = createWarehouseActivities({
      em: emOf(db),
      storage,
      writeParquet,
      turnMs: 0,
      ...from,
      ...sizes,
    });
    let sum: WarehouseTurn = { organizations: 0, files: 0, rows: 0, unchanged: 0, after: null, more: true };
    while (sum.more) {
      const turn = await asActivity(() => activities.exportToWarehouse({ after: sum.after }));
      sum = {
        ...turn,
        organizations: sum.organizations + turn.organizations,
        files: sum.files + turn.files,
        rows: sum.rows + turn.rows,
        unchanged: sum.unchanged + turn.unchanged,
      };
    }
    return sum;
  }

  /** Reads a file by ClickHouse, whose reader of Parquet is another one than the writer's. */
  const read = (organizationId: string, name: string): Promise<Record<string, unknown>[]> =>
    clickhouse.query('select * from file({path:String}, Parquet)', {
      path: join(folder, warehouseKey(organizationId, name)),
    });

  const namesOf = (organizationId: string): string[] =>
    readdirSync(join(folder, `warehouse-${organizationId}`)).toSorted();

  test('another reader finds every click and link in them, by month, from PostgreSQL and from ClickHouse alike', async () => {
    const scene = await createScene(60);
    const other = await createScene(60, createClickHouseIngest(clickhouse));
    for (const [from, { organizationId, domain, links, tagId, clicks }] of [
      [{}, scene],
      [{ clickhouse }, other],
    ] as const) {
      await run(from);
      const { files } = await manifestOf(storageOf(), organizationId);
      expect(files.map(({ name, rows }) => `${name} ${rows}`).toSorted()).toEqual([
        'clicks-2026-01-001.parquet 15',
        'clicks-2026-01-002.parquet 11',
        'clicks-2026-02-001.parquet 15',
        'clicks-2026-02-002.parquet 13',
        'links-001.parquet 2',
      ]);
      expect(namesOf(organizationId)).toEqual([...files.map(({ name }) => name), 'manifest.json'].toSorted());
      const found: Record<string, unknown>[] = [];
      for (const { name } of files.filter((file) => file.name.startsWith('clicks')))
        found.push(...(await read(organizationId, name)));
      expect(found.toSorted((a, b) => (String(a.clicked_at) < String(b.clicked_at) ? -1 : 1))).toEqual(
        clicks.map((click) => ({
          id: click.id,
          clicked_at: new Date(click.clickedAtMs).toISOString().replace('T', ' ').slice(0, -1),
          link_id: click.linkId,
          tag_ids: click.tagIds,
          city: click.city ?? null,
          device: 'desktop',
          is_qr_code: click.isQrCode,
          destination: 'https://example.com/',
          domain_id: click.domainId,
          folder_id: click.folderId,
          ...Object.fromEntries(unknown.map((name) => [name, null])),
        })),
      );
      const rows = await read(organizationId, 'links-001.parquet');
      expect(rows.map(({ id, title, slug }) => ({ id, title, slug }))).toEqual([
        { ...links[0], title: 'Ünïcode "quoted"' },
        { ...links[1], title: null },
      ]);
      expect(rows[0]).toMatchObject({
        domain,
        tag_ids: [tagId],
        max_clicks: null,
        is_active: true,
        expires_at: null,
      });
      expect(rows.reduce((sum, { clicks: count }) => sum + Number(count), 0)).toBe(clicks.length);
    }
  });

  test('only months that have changed are written again, and files that are none any more go', async () => {
    const { organizationId, links, clicks } = await createScene(60);
    await run();
    expect(await run()).toMatchObject({ unchanged: expect.any(Number) });
    const again = await run();
    // The links of every organization, and no clicks.
    expect(again.files).toBe(again.organizations);
    await ingestClicks(db, [{ ...clicks[0]!, id: clicks[0]!.id.replace(/.{4}$/, 'ffff') }]);
    expect((await run()).files).toBe(again.files + 2);
    await emOf(db).transactional(async (em) => {
      await deleteLink(em, links[0]!.id);
      await hideClicks(em, [links[0]!.id]);
    });
    await run();
    expect(namesOf(organizationId)).toEqual([
      'clicks-2026-01-001.parquet',
      'clicks-2026-02-001.parquet',
      'links-001.parquet',
      'manifest.json',
    ]);
    const left = await read(organizationId, 'clicks-2026-01-001.parquet');
    expect(left.every(({ link_id: linkId }) => linkId === links[1]!.id)).toBe(true);
    await removeWarehouse(storageOf(), organizationId);
    expect(existsSync(join(folder, `warehouse-${organizationId}`))).toBe(false);
  });

  test('months of a manifest that cannot be read are written again, and a deletion waits until it can be read', async () => {
    const { organizationId } = await createScene(60);
    await run();
    const key = warehouseKey(organizationId, 'manifest.json');
    const whole = await storageOf().get(key);
    for (const text of ['{"files":[', '{"files":{}}', '']) {
      await storageOf().put(key, Buffer.from(text), 'application/json');
      await expect(removeWarehouse(storageOf(), organizationId)).rejects.toThrow('manifest.json cannot be read');
      await run();
      expect(await storageOf().get(key)).toEqual(whole);
    }
  });

  test('an organization whose files cannot be written is given up after seven attempts, and those behind it go on', async () => {
    const [{ organizationId: before }, { organizationId: broken }, { organizationId: behind }] = [
      await createScene(4),
      await createScene(4),
      await createScene(4),
    ];
    const folderStorage = storageOf();
    const storage: Storage = {
      ...folderStorage,
      put: async (key, bytes, mime) => {
        if (key.includes(broken)) throw new StorageError(new Error('The disk is full.'));
        await folderStorage.put(key, bytes, mime);
      },
    };
    const activities = createWarehouseActivities({ em: emOf(db), storage, writeParquet });
    const attempt = (number: number, after: string | null): Promise<WarehouseTurn> =>
      activityEnvironment({ attempt: number }).run(() => activities.exportToWarehouse({ after }));
    // A turn that has done some ends in front of the broken one, with which the next turn begins.
    const first = await attempt(1, null);
    expect(first).toMatchObject({ after: before, more: true });
    expect(first.error).toBeUndefined();
    await expect(attempt(6, before)).rejects.toBeInstanceOf(StorageError);
    const given = await attempt(7, before);
    expect(given).toMatchObject({ organizations: 0, after: broken, error: 'The disk is full.', more: true });
    expect(await attempt(1, broken)).toMatchObject({ organizations: 1, after: behind, more: false });
  });

  test(
    'a bucket of S3 gets the same files as a folder, and they go with the organization',
    { tags: 'nightly' },
    async (context) => {
      await using server = await startS3Server();
      if (server === undefined) return context.skip('no S3 server can be had');
      const bucket = createS3Storage({ ...server.options, pathStyle: true });
      const { organizationId } = await createScene(60);
      await run();
      await run({}, undefined, bucket);
      const { files } = await manifestOf(bucket, organizationId);
      expect(files).toHaveLength(5);
      expect(await readManifest(bucket, organizationId)).toEqual(await readManifest(storageOf(), organizationId));
      for (const { name } of files) {
        const key = warehouseKey(organizationId, name);
        expect((await bucket.get(key))?.equals((await storageOf().get(key))!)).toBe(true);
      }
      expect(await removeWarehouse(bucket, organizationId)).toBe(5);
      for (const { name } of files) expect(await bucket.get(warehouseKey(organizationId, name))).toBeUndefined();
    },
  );
});
