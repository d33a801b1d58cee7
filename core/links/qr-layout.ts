import type { QrOptions } from './qr-options.ts';

/** Side of a QR code's picture where none is asked for, in pixels. */
export const defaultQrSize = 300;

/** Quiet zone that the standard asks for (ISO/IEC 18004), in modules. */
const standardMargin = 4;

/** Where the modules of a QR code lie in its picture. */
export interface QrLayout {
  /** Side of a module in pixels. */
  dotPx: number;
  /** Quiet zone on each side in modules, any fraction of them. */
  marginModules: number;
}

/**
 * Fits a QR code into a square picture. Modules are whole pixels, for sharp edges, unless `roundSize` is false or there is
 * no room for it; what is left over widens the quiet zone.
 * @param count modules on a side; @param size pixels on a side.
 */
export function layOutQr(count: number, size: number, { margin = standardMargin, dotsOptions }: QrOptions): QrLayout {
  const exact = size / (count + 2 * margin);
  const dotPx = dotsOptions?.roundSize === false || exact < 1 ? exact : Math.floor(exact);
  return { dotPx, marginModules: (size / dotPx - count) / 2 };
}

/** Degrees, as they are stored, in radians. */
export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
