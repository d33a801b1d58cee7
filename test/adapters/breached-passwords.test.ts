import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBreachedPasswords } from '#adapters/breached-passwords.ts';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { makeFolder } from '#test/support/folders.ts';

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex').toUpperCase();
const unexpected = (error: unknown): void => {
  throw error;
};

const folder = makeFolder();

describe('the shipped list', () => {
  const isBreached = createBreachedPasswords({ onError: unexpected });

  it.each(['123456', 'sunshine1', 'SunShine1', 'p@ssw0rd'])('has %s', async (password) => {
    expect(await isBreached(password)).toBe(true);
  });

  it.each(['correct horse battery staple', 'Kx7-orbit-lantern', ''])('does not have %s', async (password) => {
    expect(await isBreached(password)).toBe(false);
  });
});

describe('a file of hashes', () => {
  it('finds exactly the passwords whose hash it has, in every form of lines', async () => {
    const word = fc.string({ minLength: 1, maxLength: 12 });
    const form = fc.record({
      count: fc.option(fc.integer({ min: 1, max: 99_999_999 })),
      lineBreak: fc.constantFrom('\n', '\r\n'),
      isLower: fc.boolean(),
      hasLastBreak: fc.boolean(),
    });
    const all = fc.uniqueArray(word, { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(all, form, fc.nat(60), async (words, { count, lineBreak, isLower, hasLastBreak }, share) => {
        const inside = words.slice(0, share);
        const lines = inside
          .map(sha1)
          .toSorted()
          .map((hash) => `${isLower ? hash.toLowerCase() : hash}${count === null ? '' : `:${count}`}`);
        const file = join(folder, 'hashes.txt');
        await writeFile(file, lines.join(lineBreak) + (hasLastBreak && lines.length > 0 ? lineBreak : ''));
        const isBreached = createBreachedPasswords({ file, onError: unexpected });
        const shipped = createBreachedPasswords({ onError: unexpected });
        for (const one of words) {
          expect(await isBreached(one)).toBe(inside.includes(one) || (await shipped(one)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is reported and skipped where it is gone or no list of hashes', async () => {
    const errors: unknown[] = [];
    const file = join(folder, 'words.txt');
    await writeFile(file, 'monkey\ndragon\n');
    for (const path of [file, join(folder, 'none.txt')]) {
      const isBreached = createBreachedPasswords({ file: path, onError: (error) => errors.push(error) });
      expect(await isBreached('Kx7-orbit-lantern')).toBe(false);
    }
    expect(errors.map(String)).toEqual([expect.stringContaining('no SHA-1 hash'), expect.stringContaining('ENOENT')]);
  });
});

describe('a service', () => {
  const asked: string[] = [];
  let answer: { status: number; body: string };
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${String(request.headers['add-padding'])}`);
    response.writeHead(answer.status).end(answer.body);
  });
  const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`;
  });
  afterAll(async () => {
    await http.close();
    server.close();
  });

  it('gets five digits of the hash alone, and its padding counts for nothing', async () => {
    const hash = sha1('Kx7-orbit-lantern');
    const padding = sha1('another one').slice(5);
    answer = { status: 200, body: `${padding}:0\r\n${hash.slice(5)}:12\r\n` };
    const isBreached = createBreachedPasswords({ service: { url, http }, onError: unexpected });
    expect(await isBreached('Kx7-orbit-lantern')).toBe(true);
    expect(asked).toEqual([`/range/${hash.slice(0, 5)} true`]);
    answer = { status: 200, body: `${hash.slice(5)}:0\n` };
    expect(await isBreached('Kx7-orbit-lantern')).toBe(false);
  });

  it('that fails or is away is reported, and the password is accepted', async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    answer = { status: 503, body: '' };
    expect(await createBreachedPasswords({ service: { url, http }, onError })('Kx7-orbit-lantern')).toBe(false);
    const nowhere = { url: 'http://127.0.0.1:1/range', http };
    expect(await createBreachedPasswords({ service: nowhere, onError })('Kx7-orbit-lantern')).toBe(false);
    expect(errors).toHaveLength(2);
    expect(String(errors[0])).toContain('503');
  });
});
