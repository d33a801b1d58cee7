import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

/** What is kept of an answer. */
const keptBytes = 4_096;
// 64 times what is kept: an error page reaches a ratio of 20, a zip bomb 1,000 and more.
const maxOutputLength = 64 * keptBytes;

// The beginning of a stream that is cut off is decoded as far as it goes.
const zlibOptions = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength };
const brotliOptions = { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength };

const decoders = new Map<string, (bytes: Buffer) => Buffer>([
  ['gzip', (bytes) => gunzipSync(bytes, zlibOptions)],
  ['x-gzip', (bytes) => gunzipSync(bytes, zlibOptions)],
  ['deflate', (bytes) => inflateSync(bytes, zlibOptions)],
  ['br', (bytes) => brotliDecompressSync(bytes, brotliOptions)],
]);
// "utf-8" is no coding, and some servers send it.
const plain = /^(?:|identity|none|utf-?8)$/;

/**
 * The beginning of an answer as text, decoded where it is compressed; a note such as `(gzip, 812 bytes)` where it cannot be.
 * @param coding its Content-Encoding.
 */
export function readAnswerText(body: Buffer, coding = ''): string {
  const name = coding.trim().toLowerCase();
  const first = body.subarray(0, keptBytes);
  if (body.length === 0 || plain.test(name)) return toText(first);
  try {
    const decode = decoders.get(name);
    if (decode !== undefined) return toText(decode(first).subarray(0, keptBytes));
  } catch {
    // Corrupt, or more output than `maxOutputLength`: the note below says what it was.
  }
  return `(${name.slice(0, 40)}, ${body.length} bytes)`;
}

/** PostgreSQL refuses NUL characters. */
function toText(bytes: Buffer): string {
  return bytes.toString().replaceAll('\0', '\u{fffd}');
}
