import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createS3Storage, type S3Options } from '#adapters/storage/s3.ts';
import { createStorage } from '#adapters/storage/storage.ts';
import { type Storage, StorageError } from '#core/files/storage.ts';
import { makeFolder } from '#test/support/folders.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { type S3Server, startS3Server } from '#test/support/s3-server.ts';

const key = 'qr-code/019a2f6e-7c1b-7d3a-9a51-0c6f6d2f8e11.png';
const other = 'meta-tag/019a2f6e-7c1b-7d3a-9a51-0c6f6d2f8e12.webp';
const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));

const folder = makeFolder();

/** Checks that hold for every storage. */
async function exercise(storage: Storage): Promise<void> {
  expect(await storage.get(key)).toBeUndefined();
  await storage.put(key, bytes, 'image/png');
  await storage.put(other, Buffer.from('other'), 'image/webp');
  expect((await storage.get(key))?.equals(bytes)).toBe(true);
  await storage.put(key, Buffer.from('changed'), 'image/png');
  expect((await storage.get(key))?.toString()).toBe('changed');
  await storage.remove(key);
  await storage.remove(key);
  expect(await storage.get(key)).toBeUndefined();
  expect((await storage.get(other))?.toString()).toBe('other');
}

describe('a folder', () => {
  it('keeps, gives and removes', async () => {
    await exercise(createFolderStorage(join(folder, 'a')));
    expect(await readdir(join(folder, 'a'))).toEqual(['meta-tag']);
  });

  it('the folder removes the remains of an unfinished write', async () => {
    const storage = createFolderStorage(join(folder, 'a'));
    await mkdir(join(folder, 'a', 'qr-code'), { recursive: true });
    await writeFile(join(folder, 'a', `${key}.part`), 'half');
    expect(await storage.get(key)).toBeUndefined();
    await storage.remove(key);
    expect(await readdir(join(folder, 'a'))).toEqual(['meta-tag']);
  });

  it('writes succeed while the last other file of their folder is removed', async () => {
    const storage = createFolderStorage(join(folder, 'race'));
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const own = `warehouse-1/${index}.json`;
        await storage.put(own, bytes, 'application/json');
        await storage.remove(own);
      }),
    );
    expect(await readdir(join(folder, 'race'))).toEqual([]);
  });

  it.each([
    '../secret.png',
    'qr-code/../../secret.png',
    '/etc/passwd',
    'qr-code/.hidden.png',
    'qr-code/a\u0000.png',
    'a',
  ])('refuses the key %j', async (wrong) => {
    const storage = createFolderStorage(join(folder, 'a'));
    await expect(storage.get(wrong)).rejects.toThrow(StorageError);
    await expect(storage.put(wrong, bytes, 'image/png')).rejects.toThrow(StorageError);
    await expect(storage.remove(wrong)).rejects.toThrow(StorageError);
  });

  it('a folder that cannot be written is reported', async () => {
    await writeFile(join(folder, 'b'), 'a file');
    await expect(createFolderStorage(join(folder, 'b')).put(key, bytes, 'image/png')).rejects.toMatchObject({
      name: 'StorageError',
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('the configuration chooses the folder when no bucket is set', async () => {
    const storage = createStorage({ WAYMARK_DATA_DIR: join(folder, 'data'), S3_REGION: 'us-east-1' });
    await storage.put(key, bytes, 'image/png');
    expect(await readdir(join(folder, 'data', 'files', 'qr-code'))).toHaveLength(1);
  });
});

describe('a bucket', { tags: 'process' }, () => {
  let server: S3Server | undefined;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const open = (overrides: Partial<S3Options> = {}): Storage =>
    createS3Storage({ ...server!.options, pathStyle: true, ...overrides });

  it('keeps, gives and removes', async (context) => {
    if (server === undefined) return context.skip('no S3 server can be had');
    await exercise(open());
    expect(await open().get(key)).toBeUndefined();
  });

  it('the bucket keeps the content type of each object', async (context) => {
    if (server === undefined) return context.skip('no S3 server can be had');
    await open().put(other, Buffer.from('other'), 'image/webp');
    expect(await server.typeOf(other)).toBe('image/webp');
  });

  it('the storage refuses a wrong secret and a missing bucket', async (context) => {
    if (server === undefined) return context.skip('no S3 server can be had');
    await expect(open({ secretAccessKey: 'wrong' }).put(key, bytes, 'image/png')).rejects.toThrow(StorageError);
    await expect(open({ bucket: 'nowhere-at-all' }).get(key)).rejects.toThrow(StorageError);
  });

  it('the host names the bucket where the path does not', async () => {
    const asked: string[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
      asked.push((request as Request).url);
      return new Response('here');
    });
    const options = { bucket: 'files', region: 'eu-central-1', accessKeyId: 'a', secretAccessKey: 'b' };
    const storage = createS3Storage({ ...options, endpoint: 'https://s3.example.com/', pathStyle: false });
    expect((await storage.get(key))?.toString()).toBe('here');
    expect(asked).toEqual([`https://files.s3.example.com/${key}`]);
    vi.restoreAllMocks();
  });

  it('an unreachable bucket is reported within the deadline', async () => {
    const [port] = await freePorts(1);
    const storage = createS3Storage({
      bucket: 'b',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      accessKeyId: 'a',
      secretAccessKey: 'b',
      pathStyle: true,
    });
    await expect(storage.get(key)).rejects.toThrow(StorageError);
  });
});
