import { type Options, QRCodeStyling } from '@liquid-js/qr-code-styling';
import sharp from 'sharp';
import { createConcurrencyLimit } from '#core/limits/concurrency-limit.ts';
import { layOutQr, type QrOptions, QrTooLongError, toRadians } from '#core/links/qr-code.ts';
import { dottedCorners } from './qr-dots.ts';

export interface QrDrawing {
  /** The content: ASCII. */
  data: string;
  /** Styling as stored. Its `data` and `image` are ignored, so nothing is fetched. */
  options: QrOptions;
  /** The picture in the middle. */
  logo?: { bytes: Buffer; mime: string } | undefined;
  /** Side in pixels. */
  size: number;
}

/** Draws QR codes. */
export interface QrCodes {
  /** @throws QrTooLongError; AppError SERVICE_UNAVAILABLE where too many wait. */
  drawSvg(drawing: QrDrawing): Promise<string>;
  /** @throws QrTooLongError; AppError SERVICE_UNAVAILABLE where too many wait. */
  drawPng(drawing: QrDrawing): Promise<Buffer>;
}

// Capacity in bytes of the largest QR code by level of error correction, strongest first (ISO/IEC 18004, table 7).
const capacities = [
  ['H', 1_273],
  ['Q', 1_663],
  ['M', 2_331],
  ['L', 2_953],
] as const;

// A logo of size 1 hides this share of the modules that error correction can restore: what QR readers manage.
const coverage = 0.7;

const slots = 2;
const waiting = 50;
// The library's names of types that differ from ours.
const dotTypes = { dots: 'dot' } as const;

export function createQrCodes(): QrCodes {
  const gate = createConcurrencyLimit({ slots, waiting });
  return {
    drawSvg: (drawing) => gate.run(() => draw(drawing)),
    drawPng: (drawing) =>
      gate.run(async () => {
        const svg = await draw(drawing);
        return sharp(Buffer.from(svg)).png({ compressionLevel: 9 }).toBuffer();
      }),
  };
}

async function draw({ data, options, logo, size }: QrDrawing): Promise<string> {
  // A logo hides modules, so it needs the strongest error correction.
  const levels = capacities.slice(logo === undefined ? 1 : 0);
  const errorCorrectionLevel = levels.find(([, bytes]) => data.length <= bytes)?.[0];
  if (errorCorrectionLevel === undefined) throw new QrTooLongError();
  const qrOptions = { errorCorrectionLevel };
  // With modules of one pixel, the side is the number of modules.
  const count = new QRCodeStyling({ data, qrOptions, dotsOptions: { size: 1 } }).size!.width;
  const { dotPx, marginModules } = layOutQr(count, size, options);
  // Modules of whole pixels are drawn at size; others are drawn larger and scaled down.
  const dotSize = Number.isInteger(dotPx) ? dotPx : 10;
  const side = dotSize * (count + 2 * marginModules);
  const { dotsOptions = {}, cornersSquareOptions = {}, cornersDotOptions = {}, backgroundOptions = {} } = options;
  const { hideBackgroundDots = true, imageSize = 0.4, margin: imageMarginPx = 0 } = options.imageOptions ?? {};
  const { type: dotType = 'square', color = '#000000' } = dotsOptions;
  const code = new QRCodeStyling({
    data,
    qrOptions,
    dotsOptions: {
      size: dotSize,
      type: dotType === 'dots' ? dotTypes.dots : dotType,
      color,
      ...gradientOf(dotsOptions),
    },
    cornersSquareOptions: cornerOf(cornersSquareOptions),
    cornersDotOptions: cornerOf(cornersDotOptions),
    backgroundOptions: {
      color: backgroundOptions.color ?? '#FFFFFF',
      round: Math.min(1, backgroundOptions.round ?? 0),
      // Slightly less, because rounding would add a pixel.
      margin: marginModules - 1e-9,
    },
    ...(logo === undefined ? {} : { image: 'logo', imageTools: toolsFor(logo) }),
    imageOptions: {
      mode: hideBackgroundDots ? 'center' : 'overlay',
      imageSize: imageSize * coverage,
      margin: imageMarginPx / dotPx,
    },
    plugins: [
      dottedCorners({ square: cornersSquareOptions.type === 'dots', dot: cornersDotOptions.type === 'dots' }),
      {
        postProcess(svg: { setAttribute(name: string, value: string): void }) {
          for (const name of ['width', 'height']) svg.setAttribute(name, String(size));
          svg.setAttribute('viewBox', `0 0 ${side} ${side}`);
        },
      },
    ],
  });
  const svg = await code.serialize();
  if (svg === undefined) throw new Error('The QR code was not drawn.');
  return svg;
}

type Painted = NonNullable<QrOptions['cornersDotOptions']>;

function cornerOf(corner: Painted): object {
  const { type = 'square', color } = corner;
  return {
    type: type === 'dots' ? dotTypes.dots : type,
    ...(color === undefined ? {} : { color }),
    ...gradientOf(corner),
  };
}

/** A gradient without stops counts as none. */
function gradientOf({ gradient }: Pick<Painted, 'gradient'>): object {
  if (gradient?.colorStops === undefined || gradient.colorStops.length === 0) return {};
  const { type = 'linear', colorStops, rotation = 0 } = gradient;
  return { gradient: { type, colorStops, rotation: toRadians(rotation) } };
}

/** Gives the logo's bytes to the library, which would fetch a URL otherwise. */
function toolsFor({ bytes, mime }: NonNullable<QrDrawing['logo']>): Options['imageTools'] {
  // Percent-encoded, not base64: the library inlines a base64 SVG, whose ids and styles could then clash with those of the code.
  const url =
    mime === 'image/svg+xml'
      ? `data:image/svg+xml,${encodeURIComponent(bytes.toString('utf8'))}`
      : `data:${mime};base64,${bytes.toString('base64')}`;
  return {
    toDataURL: async () => url,
    async getSize() {
      const { width, height } = await sharp(bytes).metadata();
      return { width, height };
    },
  };
}
