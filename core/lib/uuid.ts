import { v7 } from 'uuid';

const randomBytes = 16;
// 4 KiB. The package asks the system for 16 bytes at each id: 2 µs, in place of 0.4 (bench row C1).
const idsAtOnce = 256;

const random = new Uint8Array(randomBytes * idsAtOnce);
const numbers = new DataView(random.buffer);
let used = random.length;
let lastMs = Number.NEGATIVE_INFINITY;
let sequence = 0;

/** A new id: a UUID of version 7 (RFC 9562), greater than each id that this process has made before. */
export function uuidv7(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  const start = used;
  used += randomBytes;
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    // 31 random bits: half of the range is left to count up.
    sequence = numbers.getUint32(start + 6) >>> 1;
  } else {
    // Ids of one millisecond, or of a clock that was set back, count up.
    sequence = (sequence + 1) >>> 0;
    if (sequence === 0) lastMs += 1;
  }
  return v7({ random: random.subarray(start, used), msecs: lastMs, seq: sequence });
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version, in letters of either case. */
export const isUuid = (text: string): boolean => uuid.test(text);

/** The smallest UUID of version 7 for a Unix time in milliseconds; ids grow with time, and begin in 1970. */
export function firstIdAt(atMs: number): string {
  const hex = Math.max(atMs, 0).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The Unix time in milliseconds of a UUID of version 7. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
