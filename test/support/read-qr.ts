import jsqr from 'jsqr';
import sharp from 'sharp';

// The package is CommonJS whose types say otherwise.
const read = jsqr as unknown as typeof jsqr.default;

/** Text that a QR reader decodes from a picture, PNG or SVG; undefined: none. */
export async function readQr(picture: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture)
    .flatten({ background: '#fff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return read(new Uint8ClampedArray(data), info.width, info.height)?.data;
}
