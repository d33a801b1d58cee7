import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readAnswerText } from '#activities/webhooks/answer-text.ts';

const error = '{"error":"schöne Grüße: field email is required"}';
const long = Array.from({ length: 2_000 }, () => randomBytes(8).toString('hex')).join(' ');
const bomb = Buffer.alloc(8 * 1_048_576);

describe('readAnswerText', () => {
  it.each([
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['deflate', deflateSync],
    [' br ', brotliCompressSync],
  ])('decodes %s, also the beginning of a longer answer', (coding, compress) => {
    expect(readAnswerText(compress(error), coding)).toBe(error);
    const cut = compress(long).subarray(0, 12_000);
    const text = readAnswerText(cut, coding);
    expect([text.length > 3_000, long.startsWith(text)]).toEqual([true, true]);
  });

  it.each([
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    ['gzip', Buffer.from('not compressed')],
    ['zstd', Buffer.from('28b52ffd0401', 'hex')],
    ['gzip, br', brotliCompressSync(gzipSync(error))],
  ])('notes %s and the size of an answer that is not decoded', (coding, body) => {
    expect(readAnswerText(body, coding)).toBe(`(${coding}, ${body.length} bytes)`);
  });

  it.each([undefined, '', 'identity', 'UTF-8'])(
    'keeps the first 4 KiB of an answer of coding %s as they are',
    (coding) => {
      expect(readAnswerText(Buffer.from(`a\0${'b'.repeat(5_000)}`), coding)).toBe(`a\u{fffd}${'b'.repeat(4_094)}`);
      expect(readAnswerText(Buffer.alloc(0), coding)).toBe('');
    },
  );

  it('keeps 4 KiB of a decoded answer, and nothing of an empty one', () => {
    expect(readAnswerText(gzipSync('c'.repeat(9_000)), 'gzip')).toBe('c'.repeat(4_096));
    expect(readAnswerText(Buffer.alloc(0), 'gzip')).toBe('');
  });
});
