import { type Options, QRCodeStyling } from '@liquid-js/qr-code-styling';
import sharp from 'sharp';
import { createConcurrencyLimit } from '#core/limits/concurrency-limit.ts';
import { layOutQr, type QrOptions, toRadians } from '#core/links/qr-code.ts';
import { dotted } from './qr-dots.ts';

/** What a QR code is drawn from. */
export interface QrDrawing {
  /** What it says: ASCII. */
  data: string;
  /** Its styling, in the units that are stored. `data` and `image` of it are not looked at: nothing is fetched. */
  options: QrOptions;
  /** The picture in its middle. */
  logo?: { bytes: Buffer; mime: string } | undefined;
  /** Side in pixels. */
  size: number;
}

/** Draws QR codes. */
export interface QrCodes {
  /** @throws QrTooLongError, AppError SERVICE_UNAVAILABLE where too many wait already. */
  drawSvg(drawing: QrDrawing): Promise<string>;
  /** @throws QrTooLongError, AppError SERVICE_UNAVAILABLE where too many wait already. */
  drawPng(drawing: QrDrawing): Promise<Buffer>;
}

/** No QR code holds so much. */
export class QrTooLongError extends Error {
  constructor() {
    super('What the QR code is to say is too long for one.');
    this.name = 'QrTooLongError';
  }
}

// Bytes that the largest QR code holds at each level of error correction (ISO/IEC 18004, table 7); the strongest first.
const capacities = [
  ['H', 1_273],
  ['Q', 1_663],
  ['M', 2_331],
  ['L', 2_953],
] as const;

// Of the part of a code that could be made up for at best, so much is hidden by a logo of size 1: what readers manage.
const coverage = 0.7;

const slots = 2;
const waiting = 50;
// Of the library: the names of the types that it calls otherwise.
const dotTypes = { dots: 'dot' } as const;

/** Makes the drawer of QR codes. */
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
  // What a logo hides is made up for by the strongest error correction.
  const levels = capacities.slice(logo === undefined ? 1 : 0);
  const errorCorrectionLevel = levels.find(([, bytes]) => data.length <= bytes)?.[0];
  if (errorCorrectionLevel === undefined) throw new QrTooLongError();
  const qrOptions = { errorCorrectionLevel };
  // With modules of one pixel its side tells how many they are.
  const count = new QRCodeStyling({ data, qrOptions, dotsOptions: { size: 1 } }).size!.width;
  const { dotPx, marginModules } = layOutQr(count, size, options);
  // Whole pixels are drawn as they are; parts of pixels larger, to be scaled down.
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
      // A hair less, or rounding adds a pixel.
      margin: marginModules - 1e-9,
    },
    ...(logo === undefined ? {} : { image: 'logo', imageTools: toolsFor(logo) }),
    imageOptions: {
      mode: hideBackgroundDots ? 'center' : 'overlay',
      imageSize: imageSize * coverage,
      margin: imageMarginPx / dotPx,
    },
    plugins: [
      dotted({ square: cornersSquareOptions.type === 'dots', dot: cornersDotOptions.type === 'dots' }),
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

/** A gradient without stops is none. */
function gradientOf({ gradient }: Pick<Painted, 'gradient'>): object {
  if (gradient?.colorStops === undefined || gradient.colorStops.length === 0) return {};
  const { type = 'linear', colorStops, rotation = 0 } = gradient;
  return { gradient: { type, colorStops, rotation: toRadians(rotation) } };
}

/** Hands the logo to the library, which otherwise would fetch it. */
function toolsFor({ bytes, mime }: NonNullable<QrDrawing['logo']>): Options['imageTools'] {
  // Written with a comma, not as base64: of the latter the library makes a part of the picture, whose names and styles
  // then could meet the picture's own.
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
