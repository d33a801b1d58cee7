// @module-tag slow

import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createQrCodes } from '#adapters/images/qr-code.ts';
import type { QrDrawing } from '#core/links/qr/draw.ts';
import { QrTooLongError } from '#core/links/qr/layout.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import { firstTemplate } from '#core/links/qr/template.ts';
import { findQrWarnings } from '#core/links/warnings/qr-warnings.ts';
import { readQr } from '#test/support/read-qr.ts';
import { byDay } from '#test/support/night.ts';

const qrCodes = createQrCodes();
const data = 'https://go.example.com/7yGh2Kp?qr=1';
const gradient = (type: 'linear' | 'radial', rotation = 0) => ({
  type,
  rotation,
  colorStops: [
    { offset: 0, color: '#7a0000' },
    { offset: 1, color: '#00007a' },
  ],
});
const dotTypes = ['dots', 'rounded', 'classy', 'classy-rounded', 'square', 'extra-rounded'] as const;
const cornerTypes = ['dot', 'square', 'extra-rounded', 'rounded', 'dots', 'classy', 'classy-rounded'] as const;
const stylings: [string, QrOptions][] = [
  ['nothing said', {}],
  ['the template of first domains', firstTemplate],
  ...dotTypes.map((type): [string, QrOptions] => [`dots ${type}`, { dotsOptions: { type } }]),
  ...cornerTypes.map((type): [string, QrOptions] => [
    `corners ${type}`,
    { cornersSquareOptions: { type, color: '#004400' }, cornersDotOptions: { type } },
  ]),
  ['a linear gradient', { dotsOptions: { gradient: gradient('linear', 45) } }],
  [
    'radial gradients',
    { cornersSquareOptions: { gradient: gradient('radial') }, dotsOptions: { gradient: gradient('radial') } },
  ],
  ['a gradient without colours', { dotsOptions: { gradient: { type: 'linear' } } }],
  ['no quiet zone', { margin: 0 }],
  ['a wide quiet zone', { margin: 12, backgroundOptions: { color: '#ffffe0', round: 0.4 } }],
  ['parts of pixels', { dotsOptions: { roundSize: false, type: 'rounded' } }],
  ['data and an image of its own, which count for nothing', { data: 'other', image: 'https://evil.example/a.png' }],
];

const png = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#cc0000' } })
  .png()
  .toBuffer();
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>path{fill:red}</style><circle cx="4.5" cy="4.5" r="4" fill="#0066cc"/></svg>',
);
const logos = [
  { bytes: png, mime: 'image/png' },
  { bytes: svg, mime: 'image/svg+xml' },
];

async function pixelAt(drawing: QrDrawing, x: number, y: number): Promise<number[]> {
  const { data: pixels, info } = await sharp(await qrCodes.drawPng(drawing))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...pixels.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
}

describe('a QR code', () => {
  it.each(byDay(stylings, 3))('a reader decodes the QR code as SVG and as PNG: %s', async (_name, options) => {
    const drawing = { data, options, size: 300 };
    expect(await readQr(await qrCodes.drawPng(drawing))).toBe(data);
    expect(await readQr(Buffer.from(await qrCodes.drawSvg(drawing)))).toBe(data);
  });

  it.each(byDay([101, 777, 300, 2_000], 2))('a QR code is %i pixels wide and high', async (size) => {
    const bytes = await qrCodes.drawPng({ data, options: {}, size });
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: size, height: size });
    expect(await readQr(bytes)).toBe(data);
    expect(await qrCodes.drawSvg({ data, options: {}, size })).toContain(`width="${size}" height="${size}"`);
  });

  it.each(byDay([0.4, 0.1, 0.7, 1], 1))(
    'a reader decodes a QR code with a logo of size %d, whatever the logo hides',
    async (imageSize) => {
      for (const logo of logos) {
        for (const hideBackgroundDots of [true, false]) {
          const options: QrOptions = { imageOptions: { imageSize, hideBackgroundDots, margin: 3 } };
          expect(await readQr(await qrCodes.drawPng({ data, options, logo, size: 500 }))).toBe(data);
        }
      }
    },
  );

  it('a QR code shows the logo in its middle', async () => {
    const [raster, vector] = logos;
    expect(await pixelAt({ data, options: {}, logo: raster, size: 300 }, 150, 150)).toEqual([0xcc, 0, 0]);
    expect(await pixelAt({ data, options: {}, logo: vector, size: 300 }, 150, 150)).toEqual([0, 0x66, 0xcc]);
  });

  it('the quiet zone of a QR code is counted in modules', async () => {
    // 33 modules of 10 pixels and 4 on each side: the first dark one begins at 40.
    const drawing = { data, options: { margin: 4 }, size: 410 };
    expect(await pixelAt(drawing, 39, 45)).toEqual([255, 255, 255]);
    expect(await pixelAt(drawing, 40, 45)).toEqual([0, 0, 0]);
  });

  it('the gradient of a QR code turns by degrees', async () => {
    const dotsOptions = { type: 'square', gradient: gradient('linear', 90) } as const;
    const svgText = await qrCodes.drawSvg({ data, options: { dotsOptions }, size: 410 });
    const [, x1, y1, x2, y2] = /id="dot-color"[^>]* x1="([\d.-]+)" y1="([\d.-]+)" x2="([\d.-]+)" y2="([\d.-]+)"/.exec(
      svgText,
    )!;
    expect(Number(x1)).toBeCloseTo(Number(x2), 3);
    expect(Number(y2)).toBeGreaterThan(Number(y1));
  });

  it('a QR code holds up to 2,953 bytes', async () => {
    const longest = `https://go.example.com/${'a'.repeat(2_930)}`;
    expect(await qrCodes.drawSvg({ data: longest, options: {}, size: 2_000 })).toContain('<svg');
    await expect(qrCodes.drawSvg({ data: `${longest}a`, options: {}, size: 2_000 })).rejects.toThrow(QrTooLongError);
  });

  // What the warnings of core/links/warnings/qr-warnings.ts rest on.
  it.each<[string, QrOptions]>([
    ['inner corners of dots', { cornersDotOptions: { type: 'dots' } }],
    ['a contrast of 1.5:1', { dotsOptions: { color: '#d0d0d0' } }],
    ['no quiet zone, beside black', { margin: 0, dotsOptions: { roundSize: false } }],
    ['a quiet zone of 250 modules', { margin: 250 }],
  ])(
    'a reader does not decode a turned and blurred picture of a QR code that answers warn of: %s',
    { tags: 'nightly' },
    async (_name, options) => {
      expect(findQrWarnings(options, false)).toHaveLength(1);
      expect(await readQr(await photograph({ data, options, size: 500 }))).toBeUndefined();
    },
  );

  const readable: [string, QrOptions][] = [
    ['the template of first domains', firstTemplate],
    ...dotTypes.map((type): [string, QrOptions] => [`dots ${type}`, { dotsOptions: { type } }]),
    ['a contrast of 3:1', { dotsOptions: { color: '#949494' } }],
    ['a quiet zone of two modules', { margin: 2 }],
  ];
  it.each(byDay(readable, 2))(
    'a reader decodes a turned and blurred picture of a QR code without warnings: %s',
    async (_name, options) => {
      expect(findQrWarnings(options, false)).toEqual([]);
      expect(await readQr(await photograph({ data, options, size: 300 }))).toBe(data);
    },
  );
});

/** A picture of a printed code: on black, turned by 12 degrees, smaller and blurred. */
async function photograph(drawing: QrDrawing): Promise<Buffer> {
  const frame = { top: 30, bottom: 30, left: 30, right: 30, background: '#000' };
  const printed = await sharp(await qrCodes.drawPng(drawing))
    .flatten({ background: '#fff' })
    .extend(frame)
    .png()
    .toBuffer();
  const turned = await sharp(printed).rotate(12, { background: '#000' }).png().toBuffer();
  return sharp(turned)
    .resize(Math.round((drawing.size + 60) * 0.8))
    .blur(0.7)
    .png()
    .toBuffer();
}
