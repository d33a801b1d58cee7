import { QRCodeStyling, type Plugin } from '@liquid-js/qr-code-styling';
import type { QrOptions } from '#core/links/qr-code.ts';
import { layOutQr, QrTooLongError, toRadians } from './layout.ts';

/** A picture in the middle of a QR code. */
export interface QrLogo {
  bytes: Uint8Array;
  mime: string;
}

/** What Node and browsers do in ways of their own. */
export interface LogoTools {
  /** Reads the size of a logo, in any unit: its proportions count. */
  measure(logo: QrLogo): Promise<{ width: number; height: number }>;
  toBase64(bytes: Uint8Array): string | Promise<string>;
}

export interface QrDrawing {
  /** The content: ASCII. */
  data: string;
  /** Styling as stored. Its `data` and `image` are ignored, so nothing is fetched. */
  options: QrOptions;
  logo?: QrLogo | undefined;
  /** Side in pixels. */
  size: number;
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
// The library's names of types that differ from ours.
const dotTypes = { dots: 'dot' } as const;

/**
 * Draws a QR code as the text of an SVG image, the same one in Node and in browsers.
 * @throws QrTooLongError; what `tools` throw.
 */
export async function drawQrSvg({ data, options, logo, size }: QrDrawing, tools: LogoTools): Promise<string> {
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
    ...(logo === undefined
      ? {}
      : { image: 'logo', imageTools: { toDataURL: () => urlOf(logo, tools), getSize: () => tools.measure(logo) } }),
    imageOptions: {
      mode: hideBackgroundDots ? 'center' : 'overlay',
      imageSize: imageSize * coverage,
      margin: imageMarginPx / dotPx,
    },
    plugins: [
      dottedCorners({ square: cornersSquareOptions.type === 'dots', dot: cornersDotOptions.type === 'dots' }),
      {
        postProcess(svg: Drawn) {
          for (const name of ['width', 'height']) svg.setAttribute(name, String(size));
          svg.setAttribute('viewBox', `0 0 ${side} ${side}`);
          // Left to the serializers, it is the last attribute in Node and the first in browsers.
          svg.setAttributeNS('http://www.w3.org/2000/xmlns/', 'xmlns', 'http://www.w3.org/2000/svg');
        },
      },
    ],
  });
  const svg = await code.serialize();
  if (svg === undefined) throw new Error('The QR code was not drawn.');
  return svg;
}

interface Drawn {
  setAttribute(name: string, value: string): void;
  setAttributeNS(namespace: string, name: string, value: string): void;
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

/** The data URL of a logo: the library would fetch any other. */
async function urlOf({ bytes, mime }: QrLogo, { toBase64 }: LogoTools): Promise<string> {
  // Percent-encoded, not base64: the library inlines a base64 SVG, whose ids and styles could then clash with those of the code.
  return mime === 'image/svg+xml'
    ? `data:image/svg+xml,${encodeURIComponent(utf8.decode(bytes))}`
    : `data:${mime};base64,${await toBase64(bytes)}`;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

type DrawCorner = Parameters<NonNullable<Plugin['drawCornerDot']>>[0];
type DrawnCorner = Exclude<ReturnType<NonNullable<Plugin['drawCornerDot']>>, void | undefined>;

/** Draws corners as separate dots, a style that the library has for the other modules only. */
function dottedCorners({ square, dot }: { square: boolean; dot: boolean }): Plugin {
  return {
    drawCornerSquare(args) {
      // The second element is used only for images behind the code.
      return square ? [circles(args, 7, isOnRing), circles(args, 0, isOnRing)] : undefined;
    },
    drawCornerDot(args) {
      return dot ? circles(args, 3, () => true) : undefined;
    },
  };
}

function isOnRing(column: number, row: number): boolean {
  return column === 0 || row === 0 || column === 6 || row === 6;
}

/** A path with a circle in each selected module of a square of `count` by `count`. */
function circles(
  { x, y, size, document }: DrawCorner,
  count: number,
  isDrawn: (column: number, row: number) => boolean,
): DrawnCorner {
  const module = size / count;
  const radius = module / 2;
  const arcs: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (!isDrawn(column, row)) continue;
      const left = x + column * module;
      const middle = y + row * module + radius;
      const arc = `a${radius} ${radius} 0 0 1`;
      arcs.push(`M${left} ${middle}${arc} ${module} 0${arc} ${-module} 0z`);
    }
  }
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', arcs.join(''));
  return path;
}
