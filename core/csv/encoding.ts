/** How the text of a file of links is written. */
export const fileEncodings = ['utf-8', 'utf-16', 'windows-1252'] as const;
export type FileEncoding = (typeof fileEncodings)[number];

// Text of another encoding shows itself in the first sentences that hold a letter beyond ASCII.
const sampleBytes = 262_144;

/** The encoding that a byte order mark tells; undefined: there is none, or it is UTF-8's. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * Whether bytes that are no UTF-8 are text in Windows-1252, as spreadsheets and old databases write it: no control characters, no
 * byte that the encoding leaves free, not UTF-8 of which some bytes are damaged, and not text of other scripts or of Poland, which would
 * be read as nonsense: Windows-1251 has whole words beyond ASCII, Windows-1250 the letters ł and ą where Windows-1252 has ³ and ¹,
 * Shift_JIS halves of letters where it has ƒ and ‚. Of the letters beyond ASCII one in ten may look like UTF-8: text that was misread before.
 */
export function isWindows1252(bytes: Uint8Array): boolean {
  let start = 0;
  while (start < bytes.length && bytes[start]! < 0x80) start += 1;
  let single = 0;
  let whole = 0;
  let foreign = 0;
  for (let at = start; at < Math.min(bytes.length, start + sampleBytes); at += 1) {
    const byte = bytes[at]!;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false;
    if (byte < 0x80) continue;
    const length = sequenceLength(bytes, at);
    if (length > 1) {
      whole += 1;
      at += length - 1;
    } else if (unassigned.has(byte)) return false;
    else {
      single += 1;
      const [left, right] = [bytes[at - 1] ?? 0, bytes[at + 1] ?? 0];
      if ((isForeign(byte) && isForeign(left) && isForeign(right)) || isMisplaced(left, byte, right)) foreign += 1;
    }
  }
  return single > whole * 10 && foreign * 4 <= single;
}

// The euro sign, the ellipsis, quotes, dashes and the no-break space, which may follow one another.
const marks = new Set([0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0xa0]);
const isForeign = (byte: number): boolean => byte >= 0x80 && !marks.has(byte);
const isLetter = (byte: number): boolean => byte >= 0xc0 || /[a-z]/i.test(String.fromCharCode(byte));
// The first half of most Japanese letters in Shift_JIS is one of the second kind: ‚ ƒ „ † ‡ ˆ ‰ ‹ • ˜ ™ ›.
const isSign = (byte: number): boolean => (byte >= 0xa0 && byte < 0xc0) || signsBelow.has(byte);
const signsBelow = new Set([0x82, 0x83, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x95, 0x98, 0x99, 0x9b]);
// No-break space, soft hyphen, and the accent and dot that stand inside of words: O´Brien, col·legi.
const insideWords = new Set([0xa0, 0xad, 0xb4, 0xb7]);

/** Whether a sign stands where no language of Windows-1252 has it: inside of a word, ¿ at its end (ż) or ³ at its beginning (ł). */
function isMisplaced(left: number, byte: number, right: number): boolean {
  if (!isSign(byte) || insideWords.has(byte)) return false;
  return (isLetter(left) && (isLetter(right) || byte === 0xbf)) || (byte === 0xb3 && isLetter(right));
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
