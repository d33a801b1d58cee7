import type { QrOptions } from '#core/links/qr-code.ts';

/** Quiet zone in modules, by ISO/IEC 18004. */
const standardMargin = 4;

/** Position of the modules of a QR code in its picture. */
interface QrLayout {
  /** Side of a module in pixels. */
  dotPx: number;
  /** Quiet zone on each side in modules; may be a fraction. */
  marginModules: number;
}

/**
 * Fits a QR code into a square picture. Modules are whole pixels, for sharp edges, unless `roundSize` is false or there is no
 * room; the remainder widens the quiet zone.
 * @param count modules on a side; @param size pixels on a side.
 */
export function layOutQr(count: number, size: number, { margin = standardMargin, dotsOptions }: QrOptions): QrLayout {
  const exact = size / (count + 2 * margin);
  const dotPx = dotsOptions?.roundSize === false || exact < 1 ? exact : Math.floor(exact);
  return { dotPx, marginModules: (size / dotPx - count) / 2 };
}

export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** The content exceeds the capacity of a QR code. */
export class QrTooLongError extends Error {
  constructor() {
    super('What the QR code is to say is too long for one.');
    this.name = 'QrTooLongError';
  }
}
