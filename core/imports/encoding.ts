/** How the text of a file of links is written. */
export const fileEncodings = ['utf-8', 'utf-16', 'windows-1252'] as const;
/** How the text of a file of links is written. */
export type FileEncoding = (typeof fileEncodings)[number];

// A choice: text of another encoding shows itself in the first sentences that hold a letter beyond ASCII.
const sampleBytes = 262_144;

/** The encoding that a byte order mark tells; undefined: there is none, or it is UTF-8's. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * Whether bytes that are no UTF-8 are text in Windows-1252, as spreadsheets and old databases write it: no control characters, no
 * byte that the encoding leaves free, and not UTF-8 of which some bytes are damaged.
 */
export function isWindows1252(bytes: Uint8Array): boolean {
  let start = 0;
  while (start < bytes.length && bytes[start]! < 0x80) start += 1;
  let single = 0;
  let whole = 0;
  for (let at = start; at < Math.min(bytes.length, start + sampleBytes); at += 1) {
    const byte = bytes[at]!;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false;
    if (byte < 0x80) continue;
    const length = sequenceLength(bytes, at);
    if (length > 1) {
      whole += 1;
      at += length - 1;
    } else if (unassigned.has(byte)) return false;
    else single += 1;
  }
  return single > whole;
}

const unassigned = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** How many bytes a character in UTF-8 takes that begins here; 1: none of several bytes does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf5) return 1;
  for (let next = at + 1; next < at + length; next += 1) if ((bytes[next] ?? 0) >> 6 !== 0b10) return 1;
  return length;
}
