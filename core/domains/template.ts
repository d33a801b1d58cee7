import type { QrOptions } from '#core/links/qr-options.ts';

/** The QR template that an organization's first domain is given: plain black on white, with the quiet zone of the standard. */
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
