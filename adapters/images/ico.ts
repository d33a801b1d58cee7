/** A picture of an icon file: a PNG, or pixels of red, green, blue and alpha. */
type IcoPicture =
  | { png: Buffer; pixels?: undefined }
  | { png?: undefined; pixels: Buffer; width: number; height: number };

const headerBytes = 6;
const entryBytes = 16;
// Browsers write a handful; the number is two bytes, which anyone can set.
const mostEntries = 64;
const bitmapHeaderBytes = 40;
const wantedSide = 32;

/** Whether bytes are an icon file, `favicon.ico`. */
export function isIco(bytes: Buffer): boolean {
  return bytes.length >= headerBytes && bytes.readUInt32LE(0) === 0x00_01_00_00;
}

/**
 * The picture of an icon file that is drawn best at 32 pixels: the smallest that is as large, else the largest. Of bitmaps, those of 32
 * bits a pixel are read, which programs have written since 2001.
 * @returns undefined where no picture can be read.
 */
export function readIco(bytes: Buffer): IcoPicture | undefined {
  const count = Math.min(mostEntries, bytes.readUInt16LE(4));
  const found: { side: number; picture: IcoPicture }[] = [];
  for (
    let at = headerBytes;
    at + entryBytes <= bytes.length && at < headerBytes + count * entryBytes;
    at += entryBytes
  ) {
    const side = bytes[at] === 0 ? 256 : bytes[at]!;
    const start = bytes.readUInt32LE(at + 12);
    const picture = pictureOf(bytes.subarray(start, start + bytes.readUInt32LE(at + 8)));
    if (picture !== undefined) found.push({ side, picture });
  }
  const sorted = found.toSorted((a, b) => a.side - b.side);
  return (sorted.find(({ side }) => side >= wantedSide) ?? sorted.at(-1))?.picture;
}

function pictureOf(part: Buffer): IcoPicture | undefined {
  if (part.toString('latin1', 1, 4) === 'PNG') return { png: part };
  if (part.length < bitmapHeaderBytes || part.readUInt32LE(0) !== bitmapHeaderBytes) return undefined;
  const width = part.readInt32LE(4);
  // Twice the height: a mask of one bit a pixel follows, which the alpha of 32 bits makes needless.
  const height = part.readInt32LE(8) / 2;
  const isRead = part.readUInt16LE(14) === 32 && part.readUInt32LE(16) === 0;
  const isSize = Number.isInteger(height) && width > 0 && width <= 256 && height > 0 && height <= 256;
  const length = width * height * 4;
  if (!isRead || !isSize || part.length < bitmapHeaderBytes + length) return undefined;
  const pixels = Buffer.alloc(length);
  for (let row = 0; row < height; row += 1) {
    // Rows begin at the bottom, pixels with blue.
    const from = bitmapHeaderBytes + (height - 1 - row) * width * 4;
    for (let at = 0; at < width * 4; at += 4) {
      const pixel = part.readUInt32LE(from + at);
      pixels.writeUInt32BE(((pixel << 8) | (pixel >>> 24)) >>> 0, row * width * 4 + at);
    }
  }
  return { pixels, width, height };
}
