import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createFileActivities, type FileActivities } from '#activities/files/files.ts';
import { createImages } from '#adapters/images/images.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createFile } from '#commands/files/files.ts';
import type { ImageFormat } from '#core/files/kinds.ts';
import type { Storage } from '#core/files/storage.ts';
import type { Actor } from '#core/audit/actor.ts';
import { asActivity } from '#test/support/activities.ts';
import { silentLog, useTestEdge } from '#test/support/edge.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { makeFolder } from '#test/support/folders.ts';
import { createPictures } from '#test/support/pictures.ts';

const storage = createFolderStorage(makeFolder());
const edge = useTestEdge();

const activities = (options: { turnMs?: number; storage?: Storage } = {}): FileActivities =>
  createFileActivities({
    em: emOf(edge.db),
    storage,
    openImages: async () => createImages(),
    log: silentLog,
    batchSize: 2,
    ...options,
  });
/** A preview image as earlier versions stored it: as it was uploaded, without its size in pixels. */
function keep(format: ImageFormat, bytes: Buffer): Promise<string> {
  const actor: Actor = { organizationId: edge.organization.id, plan: 'premium', userId: uuidv7(), permissions: {} };
  const draft = { kind: 'meta-tag', name: 'a', image: { format, bytes } } as const;
  return createFile(emOf(edge.db), storage, actor, draft, { now: new Date() });
}
interface FileRow {
  key: string;
  mime: string;
  size: number;
  width: number | null;
  height: number | null;
}
async function fileOf(id: string): Promise<FileRow> {
  const { rows } = await edge.db.query<FileRow>('select key, mime, size, width, height from files where id = $1', [id]);
  return rows[0]!;
}
const redraw = (options?: Parameters<typeof activities>[0]) => asActivity(activities(options).redrawPreviews);

test('a WebP picture of an earlier version becomes a JPEG, and previews of its links say so within a second', async () => {
  const { webp } = await createPictures();
  const imageId = await keep('webp', webp);
  const { slug } = await edge.link({ metaTags: { title: 'A title', imageId } });
  const preview = async () => (await edge.visit(`/${slug}`, { headers: { 'user-agent': 'Twitterbot/1.0' } })).body;
  expect(await preview()).not.toContain('og:image:width');

  expect(await redraw()).toMatchObject({ redrawn: 1, more: false });
  const { key, mime, size, ...pixels } = await fileOf(imageId);
  expect({ key, mime, ...pixels }).toEqual({
    key: `meta-tag/${imageId}.jpg`,
    mime: 'image/jpeg',
    width: 30,
    height: 20,
  });
  const bytes = (await storage.get(key))!;
  expect(bytes).toHaveLength(size);
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 30 });
  await eventually(preview, (page) => page.includes('<meta property="og:image:width" content="30">'));
  expect(await redraw()).toMatchObject({ redrawn: 0 });

  // Readers that knew the object still find it for an hour.
  const oldKey = `meta-tag/${imageId}.webp`;
  await asActivity(activities().removeDeleted);
  expect(await storage.get(oldKey)).toEqual(webp);
  await edge.db.query(`update files set deleted_at = now() - interval '2 hours' where key = $1`, [oldKey]);
  await asActivity(activities().removeDeleted);
  expect(await storage.get(oldKey)).toBeUndefined();
  expect(await storage.get(key)).toEqual(bytes);
});

test('a transparent WebP becomes a PNG, and a JPEG only learns its size', async () => {
  const { jpeg } = await createPictures();
  const clear = sharp({ create: { width: 8, height: 9, channels: 4, background: '#00000000' } });
  const [transparent, known] = [await keep('webp', await clear.webp().toBuffer()), await keep('jpeg', jpeg)];
  expect(await redraw()).toMatchObject({ redrawn: 2 });
  expect(await fileOf(transparent)).toMatchObject({ mime: 'image/png', width: 8, height: 9 });
  const { key, size, ...file } = await fileOf(known);
  expect({ size, ...file }).toEqual({ size: jpeg.length, mime: 'image/jpeg', width: 30, height: 20 });
  expect(await storage.get(key)).toEqual(jpeg);
});

test('a broken picture stays as it is and stops no other, and another turn goes on', async () => {
  const { webp } = await createPictures();
  const broken = [await keep('webp', Buffer.from('no picture')), await keep('webp', webp), await keep('png', webp)];
  await storage.remove((await fileOf(broken[1]!)).key);
  const whole = await keep('webp', webp);
  expect(await redraw({ turnMs: 0 })).toEqual({ redrawn: 0, broken: 0, more: true });
  expect(await redraw()).toEqual({ redrawn: 2, broken: 2, more: false });
  expect(await fileOf(broken[0]!)).toMatchObject({ mime: 'image/webp', width: null });
  expect(await fileOf(whole)).toMatchObject({ mime: 'image/jpeg', width: 30 });
});

test('a picture that is deleted while it is drawn leaves no object behind', async () => {
  const { webp } = await createPictures();
  const id = await keep('webp', webp);
  const deleting: Storage = {
    ...storage,
    async put(...object) {
      await edge.db.query('update files set deleted_at = now() where id = $1', [id]);
      await storage.put(...object);
    },
  };
  await redraw({ storage: deleting });
  expect(await storage.get(`meta-tag/${id}.jpg`)).toBeUndefined();
  expect(await storage.get(`meta-tag/${id}.webp`)).toEqual(webp);
});
