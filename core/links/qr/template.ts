import type { QrOptions } from '#core/links/qr-code.ts';

/** Default side of a QR code's picture, in pixels. */
export const defaultQrSize = 300;

/** QR template of an organization's first domain: black on white, with the quiet zone of the standard. */
export const firstTemplate: QrOptions = {
  type: 'svg',
  width: 300,
  height: 300,
  margin: 4,
  dotsOptions: { type: 'square', color: '#000000' },
  cornersSquareOptions: { type: 'square', color: '#000000' },
  cornersDotOptions: { type: 'square', color: '#000000' },
  backgroundOptions: { color: '#FFFFFF' },
};
