import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import sharp, { type Sharp } from 'sharp';
import { type CleanImage, ImageError, type ImageFormat, imageFormats } from '#core/files/kinds.ts';
import { isIco, readIco } from './ico.ts';
import type { SvgOutcome } from './svg/worker.ts';

export type Images = ReturnType<typeof createImages>;

// About 100 MiB decoded, however few bytes were uploaded.
const maxPixels = 25_000_000;
const timeoutSeconds = 10;
// Pictures of pages that customers name must not hold their uploads up.
const thumbnailsAtOnce = 1;

/** Cleans uploaded images, and draws small ones: callers limit how many wait (`api/shares.ts`). */
export function createImages() {
  const thumbnailLimit = pLimit(thumbnailsAtOnce);
  return {
    /**
     * Re-encodes a raster image without metadata as PNG or JPEG, of an animation the first frame alone; sanitizes an SVG image.
     * @param formats the accepted formats; the content decides the format, not its name.
     * @throws ImageError that says what is wrong.
     */
    async clean(bytes: Buffer, formats: readonly ImageFormat[]): Promise<CleanImage> {
      if (formats.includes('svg') && isUtf16(bytes)) throw new ImageError('must be in UTF-8 where it is an SVG image');
      const format = formatOf(bytes);
      if (format === undefined || !formats.includes(format)) {
        throw new ImageError(`must be an image: ${formats.map((name) => imageFormats[name].label).join(', ')}`);
      }
      return format === 'svg' ? { format, bytes: await vector(bytes) } : raster(bytes, format);
    },
    /**
     * Draws a raster image anew as a JPEG that is no larger, in pixels.
     * @throws ImageError where it is none.
     */
    async thumbnail(bytes: Buffer, { width, height }: { width: number; height: number }): Promise<Buffer> {
      const format = formatOf(bytes);
      if (format === undefined || format === 'svg') throw new ImageError('must be a raster image');
      return thumbnailLimit(() =>
        encode(
          open(bytes)
            .autoOrient()
            .resize({ width, height, fit: 'inside', withoutEnlargement: true })
            .flatten({ background: '#fff' })
            .jpeg({ quality: 75 }),
        ),
      );
    },
    /**
     * Draws a raster image or an icon file anew as a PNG of a side in pixels at most.
     * @throws ImageError where it is none.
     */
    async icon(bytes: Buffer, side: number): Promise<Buffer> {
      const image = openIcon(bytes);
      return thumbnailLimit(() =>
        encode(image.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }).png()),
      );
    },
  };
}

/** Whether the bytes begin with the mark of a text in UTF-16. */
const isUtf16 = (bytes: Buffer): boolean => /^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2));

/** Detects the format by the first bytes. Anything that may be XML counts as SVG until it is parsed. */
function formatOf(bytes: Buffer): ImageFormat | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a))) return 'png';
  if (bytes.subarray(0, 3).equals(Buffer.of(0xff, 0xd8, 0xff))) return 'jpeg';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  return /^\uFEFF?\s*</.test(bytes.toString('utf8', 0, 200)) ? 'svg' : undefined;
}

/** Draws a WebP image as PNG where it is transparent, else as JPEG: few programs that show previews read WebP. */
async function raster(bytes: Buffer, format: Exclude<ImageFormat, 'svg'>): Promise<CleanImage> {
  // Rotates by the EXIF orientation before the metadata is dropped.
  const image = open(bytes).autoOrient();
  const isTransparent = format === 'webp' && !(await readable(image.stats())).isOpaque;
  const drawn = format === 'png' || isTransparent ? 'png' : 'jpeg';
  const { data, info } = await readable(
    (drawn === 'png' ? image.png({ compressionLevel: 9 }) : image.jpeg({ quality: 90 })).toBuffer({
      resolveWithObject: true,
    }),
  );
  return { format: drawn, bytes: data, size: { width: info.width, height: info.height } };
}

/** Sanitizes an SVG image in a thread of its own, and renders it once to refuse images that cannot be rendered. */
async function vector(bytes: Buffer): Promise<Buffer> {
  const clean = await cleaned(bytes);
  await encode(open(clean).resize(64, 64, { fit: 'inside' }).png());
  return clean;
}

async function cleaned(bytes: Buffer): Promise<Buffer> {
  const worker = new Worker(new URL('./svg/worker.ts', import.meta.url), { workerData: bytes });
  try {
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
    const [outcome] = (await once(worker, 'message', { signal })) as [SvgOutcome];
    if ('bytes' in outcome) return Buffer.from(outcome.bytes);
    throw new ImageError(outcome.message);
  } catch (error) {
    if (error instanceof ImageError) throw error;
    // The thread ran out of time or memory.
    throw new ImageError('cannot be cleaned', { cause: error });
  } finally {
    await worker.terminate();
  }
}

function openIcon(bytes: Buffer): Sharp {
  const format = formatOf(bytes);
  if (format !== undefined && format !== 'svg') return open(bytes);
  const picture = isIco(bytes) ? readIco(bytes) : undefined;
  if (picture === undefined) throw new ImageError('must be a raster image or an icon');
  if (picture.png !== undefined) return open(picture.png);
  const { pixels, width, height } = picture;
  return sharp(pixels, { raw: { width, height, channels: 4 } }).timeout({ seconds: timeoutSeconds });
}

function open(bytes: Buffer): Sharp {
  return sharp(bytes, { limitInputPixels: maxPixels, pages: 1 }).timeout({ seconds: timeoutSeconds });
}

const encode = (image: Sharp): Promise<Buffer> => readable(image.toBuffer());

/** @throws ImageError where the image cannot be read. */
async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ImageError('is not an image that can be read, or it has too many pixels', { cause: error });
  }
}
