import { readdir } from 'node:fs/promises';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFileActivities } from '#activities/files/files.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createFile, deleteFile } from '#commands/files/files.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { FileKind } from '#core/files/kinds.ts';
import { type Storage, StorageError } from '#core/files/storage.ts';
import { asActivity } from '#test/support/activities.ts';
import { silentLog } from '#test/support/edge.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createLinkOwner, insertLinks, type LinkOwner } from '#test/support/durable.ts';
import { makeFolder } from '#test/support/folders.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { insertRow } from '#test/support/rows.ts';

const folder = makeFolder();
const real = createFolderStorage(folder);
const storage: Storage = {
  ...real,
  async remove(key) {
    if ((failures -= 1) >= 0) throw new StorageError(new Error('away'));
    await real.remove(key);
  },
};
let failures: number;
let owner: LinkOwner;
let actor: Actor;

const db = useTestDatabase();
beforeEach(async () => {
  failures = 0;
  owner = await createLinkOwner(db);
  actor = { organizationId: owner.organizationId, plan: 'premium', userId: uuidv7(), permissions: {} };
});

const keep = (kind: FileKind = 'qr-code'): Promise<string> => {
  const image = { bytes: Buffer.from('picture'), format: 'png' } as const;
  return createFile(emOf(db), storage, actor, { kind, name: 'a.png', image }, { now: new Date() });
};
const age = (ids: string[], column: 'unused_since' | 'deleted_at', interval: string) =>
  db.query(`update files set ${column} = now() - $2::interval where id = any($1::uuid[])`, [ids, interval]);
const rowsOf = async (ids: string[]): Promise<string[]> =>
  (
    await db.query<{ id: string }>('select id from files where id = any($1::uuid[]) and deleted_at is null', [ids])
  ).rows.map(({ id }) => id);
const objects = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.png'))
    .map((name) => name.slice(-40, -4));
async function sweep(): Promise<{ deleted: number; removed: number; revived: number }> {
  const { deleteUnused, removeDeleted } = createFileActivities({
    em: emOf(db),
    storage,
    openImages: () => Promise.reject(new Error('not asked')),
    log: silentLog,
    batchSize: 2,
  });
  return asActivity(async () => {
    const result = { deleted: await deleteUnused(), removed: 0, revived: 0 };
    for (let more = true; more;) {
      const batch = await removeDeleted();
      result.removed += batch.removed;
      result.revived += batch.revived;
      more = batch.more;
    }
    return result;
  });
}
/** Shows a file as a link's logo and as a link's preview image. */
async function show(file: { logo?: string; image?: string }): Promise<string> {
  const [link] = await insertLinks(db, owner, ['https://example.com/']);
  if (file.logo !== undefined) {
    const { id: qrCode } = await insertRow(db, 'qr_codes', {
      organization_id: owner.organizationId,
      image_id: file.logo,
    });
    await db.query('update short_links set qr_code_id = $2 where id = $1', [link!.id, qrCode]);
  }
  if (file.image !== undefined) {
    await insertRow(db, 'meta_tags', { link_id: link!.id, image_id: file.image });
  }
  return link!.id;
}

describe('fileSweep', () => {
  test('fileSweep marks a file as deleted after a week without use, and removes it an hour later', async () => {
    const [old, young, ...others] = [await keep(), await keep(), await keep(), await keep(), await keep()];
    await age([old, ...others], 'unused_since', '7 days 1 minute');
    await age([young], 'unused_since', '6 days 23 hours');
    expect(await sweep()).toMatchObject({ deleted: 4, removed: 0 });
    expect(await rowsOf([old, young, ...others])).toEqual([young]);
    expect(await objects()).toContain(old);
    await age([old, ...others], 'deleted_at', '61 minutes');
    const result = await sweep();
    expect(result).toMatchObject({ deleted: 0, removed: 4, revived: 0 });
    expect(await objects()).toContain(young);
    for (const id of [old, ...others]) expect(await objects()).not.toContain(id);
    expect((await db.query('select id from files where id = $1', [old])).rows).toEqual([]);
  });

  test('fileSweep keeps a file that a link or a domain shows, and counts the week from the end of that use', async () => {
    const logo = await keep();
    const image = await keep('meta-tag');
    const template = await keep();
    const link = await show({ logo, image });
    const { id: qrCode } = await insertRow(db, 'qr_codes', {
      organization_id: owner.organizationId,
      image_id: template,
    });
    await db.query('update domains set qr_code_id = $2 where id = $1', [owner.domainId, qrCode]);
    const all = [logo, image, template];
    await age(all, 'unused_since', '30 days');
    expect(await sweep()).toMatchObject({ deleted: 0 });
    await db.query('update short_links set deleted_at = now() where id = $1', [link]);
    expect(await sweep()).toMatchObject({ deleted: 0 });
    expect(await rowsOf(all)).toHaveLength(3);
    await age([logo, image], 'unused_since', '8 days');
    expect(await sweep()).toMatchObject({ deleted: 2 });
    await age([logo, image], 'deleted_at', '2 hours');
    expect(await sweep()).toMatchObject({ removed: 2 });
    expect(await rowsOf(all)).toEqual([template]);
  });

  test('fileSweep restores a deleted file that is in use again', async () => {
    const logo = await keep();
    await emOf(db).transactional((em) => deleteFile(em, actor, logo, new Date()));
    await show({ logo });
    await age([logo], 'deleted_at', '2 hours');
    expect(await sweep()).toMatchObject({ removed: 0, revived: 1 });
    expect(await rowsOf([logo])).toEqual([logo]);
  });

  test('fileSweep removes the remains of an interrupted upload', async () => {
    const broken: Storage = { ...storage, put: () => Promise.reject(new StorageError(new Error('away'))) };
    const image = { bytes: Buffer.from('picture'), format: 'png' } as const;
    const now = new Date();
    await expect(createFile(emOf(db), broken, actor, { kind: 'qr-code', name: 'a', image }, { now })).rejects.toThrow(
      StorageError,
    );
    const { rows } = await db.query<{ id: string }>('select id from files where organization_id = $1', [
      actor.organizationId,
    ]);
    expect(await rowsOf(rows.map(({ id }) => id))).toEqual([]);
    await age([rows[0]!.id], 'deleted_at', '2 hours');
    expect(await sweep()).toMatchObject({ removed: 1 });
  });

  test('fileSweep continues when the storage is reachable again', async () => {
    const ids = [await keep(), await keep(), await keep()];
    for (const id of ids) await emOf(db).transactional((em) => deleteFile(em, actor, id, new Date()));
    await age(ids, 'deleted_at', '2 hours');
    failures = 1;
    await expect(sweep()).rejects.toBeInstanceOf(StorageError);
    await sweep();
    for (const id of ids) expect(await objects()).not.toContain(id);
  });
});
