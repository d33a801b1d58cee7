import type { QrOptions } from '#core/links/qr-code.ts';
import { defaultQrSize } from '#core/links/qr/template.ts';

/** A styling of a QR code that some scanners cannot read. */
interface QrWarning {
  /** Dotted path of the field in the styling: `dotsOptions.color`. */
  path: string;
  code: QrWarningCode;
  message: string;
}

/** What is wrong with a styling; translations go by it. */
export type QrWarningCode =
  | 'smallModules'
  | 'narrowQuietZone'
  | 'wideQuietZone'
  | 'largeLogo'
  | 'dottedCorners'
  | 'smallRoundCorners'
  | 'lowContrast'
  | 'lightOnDark';

// The limits are measured: codes as Waymark draws them, plain, turned, blurred and scaled, were read by two decoders (test/adapters/images).
const leastContrast = 3;
const leastMargin = 2;
// Modules on a side of the code of a short URL of 58 characters.
const usualModules = 37;
const smallSide = 200;
const smallSideOfRings = 300;
const largestLogo = 0.5;

/** Lists what scanners may not read in a styling. @param hasLogo whether a picture is shown in the middle. */
export function findQrWarnings(options: QrOptions, hasLogo: boolean): QrWarning[] {
  const warnings = [...cornerWarnings(options), ...colorWarnings(options)];
  const { dotsOptions, margin, imageOptions } = options;
  if (dotsOptions?.type === 'classy-rounded' && sideOf(options) < smallSide) {
    const message = `Modules of this type cannot be told apart in a picture of less than ${smallSide} pixels.`;
    warnings.push({ path: 'dotsOptions.type', code: 'smallModules', message });
  }
  if (margin !== undefined && margin < leastMargin) {
    const message = `Beside dark surroundings scanners do not find a code with a quiet zone of less than ${leastMargin} modules.`;
    warnings.push({ path: 'margin', code: 'narrowQuietZone', message });
  }
  if (margin !== undefined && usualModules + 2 * margin > sideOf(options)) {
    const message = 'So wide a quiet zone leaves a module less than a pixel, which scanners do not read.';
    warnings.push({ path: 'margin', code: 'wideQuietZone', message });
  }
  if (hasLogo && (imageOptions?.imageSize ?? 0) > largestLogo) {
    const message = `A logo larger than ${largestLogo} leaves too little error correction for dirt and scratches.`;
    warnings.push({ path: 'imageOptions.imageSize', code: 'largeLogo', message });
  }
  return warnings;
}

function cornerWarnings(options: QrOptions): QrWarning[] {
  const warnings: QrWarning[] = [];
  for (const corner of ['cornersSquareOptions', 'cornersDotOptions'] as const) {
    const type = options[corner]?.type;
    const path = `${corner}.type`;
    if (type === 'dots') {
      warnings.push({
        path,
        code: 'dottedCorners',
        message: 'Scanners find a code by its corners, and do not find corners of separate dots.',
      });
    }
    if (corner === 'cornersSquareOptions' && type === 'dot' && sideOf(options) < smallSideOfRings) {
      const message = `Scanners do not find round corners in a picture of less than ${smallSideOfRings} pixels.`;
      warnings.push({ path, code: 'smallRoundCorners', message });
    }
  }
  return warnings;
}

function colorWarnings(options: QrOptions): QrWarning[] {
  const ground = luminanceOf(options.backgroundOptions?.color ?? '#FFFFFF');
  return (['dotsOptions', 'cornersSquareOptions', 'cornersDotOptions'] as const).flatMap((part) => {
    const { color, gradient } = options[part] ?? {};
    const stops = gradient?.colorStops ?? [];
    // A gradient takes the place of the color.
    const shown = stops.length > 0 ? stops.map((stop) => stop.color) : [color ?? '#000000'];
    if (color === undefined && stops.length === 0 && part !== 'dotsOptions') return [];
    const luminances = shown.map(luminanceOf);
    const path = stops.length > 0 ? `${part}.gradient` : `${part}.color`;
    if (luminances.some((luminance) => contrastOf(luminance, ground) < leastContrast)) {
      return {
        path,
        code: 'lowContrast',
        message: `Its contrast with the background is below ${leastContrast}:1, which scanners do not read.`,
      };
    }
    if (luminances.some((luminance) => luminance > ground)) {
      return {
        path,
        code: 'lightOnDark',
        message: 'It is lighter than the background: some scanners read only dark codes on light ground.',
      };
    }
    return [];
  });
}

function sideOf({ width = defaultQrSize, height = width }: QrOptions): number {
  return Math.min(width, height);
}

/** Relative luminance (WCAG 2.2) of a hex color on white. */
function luminanceOf(color: string): number {
  const isShort = color.length <= 5;
  const channel = (index: number): number => {
    const digits = isShort ? color.charAt(index + 1).repeat(2) : color.slice(index * 2 + 1, index * 2 + 3);
    return Number.parseInt(digits || 'ff', 16) / 255;
  };
  const alpha = channel(3);
  const linear = (index: number): number => {
    const shown = channel(index) * alpha + 1 - alpha;
    return shown <= 0.04045 ? shown / 12.92 : ((shown + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2);
}

function contrastOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
