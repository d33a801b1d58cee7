import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createQrCodes } from '#adapters/images/qr-code.ts';
import { qrOptionsSchema } from '#core/links/qr-code.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { bundleForBrowser } from '#test/support/browser-bundle.ts';
import { isNight } from '#test/support/night.ts';
import type { drawSent, SentDrawing } from '#test/support/qr-module.ts';

declare const bundle: { drawSent: typeof drawSent };

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const color = fc.constantFrom('#000', '#1a2b3c', '#7a000080', '#fff');
const share = fc.double({ min: 0, max: 1, noNaN: true });
const gradient = fc.record({
  type: fc.constantFrom('linear' as const, 'radial' as const),
  rotation: maybe(fc.double({ min: -400, max: 400, noNaN: true })),
  colorStops: maybe(fc.array(fc.record({ offset: share, color }), { maxLength: 3 })),
});
const { dotsOptions, cornersDotOptions } = qrOptionsSchema.shape;
const corner = fc.record({
  type: maybe(fc.constantFrom(...cornersDotOptions.unwrap().shape.type.unwrap().options)),
  color: maybe(color),
  gradient: maybe(gradient),
});
const anyOptions = fc.record({
  margin: maybe(fc.double({ min: 0, max: 20, noNaN: true })),
  imageOptions: maybe(
    fc.record({
      hideBackgroundDots: maybe(fc.boolean()),
      imageSize: maybe(share),
      margin: maybe(fc.integer({ min: 0, max: 30 })),
    }),
  ),
  dotsOptions: maybe(
    fc.record({
      type: maybe(fc.constantFrom(...dotsOptions.unwrap().shape.type.unwrap().options)),
      color: maybe(color),
      gradient: maybe(gradient),
      roundSize: maybe(fc.boolean()),
    }),
  ),
  cornersSquareOptions: maybe(corner),
  cornersDotOptions: maybe(corner),
  backgroundOptions: maybe(
    fc.record({ round: maybe(fc.double({ min: 0, max: 2, noNaN: true })), color: maybe(color) }),
  ),
});

const png = await sharp({ create: { width: 60, height: 37, channels: 3, background: '#cc0000' } })
  .png()
  .toBuffer();
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="13"><style>path{fill:red}</style><text>ü &amp; "</text></svg>',
);
const anyDrawing: fc.Arbitrary<SentDrawing> = fc.record({
  data: fc.stringMatching(/^https:\/\/go\.example\.com\/[a-z0-9]{1,80}\?qr=1$/),
  options: anyOptions,
  size: fc.integer({ min: 101, max: 900 }),
  logo: fc.constantFrom(
    undefined,
    { base64: png.toString('base64'), mime: 'image/png', width: 60, height: 37 },
    { base64: svg.toString('base64'), mime: 'image/svg+xml', width: 9, height: 13 },
  ),
});

it('what draws QR codes has at most 20 kB gzip', { tags: 'slow' }, async () => {
  const { gzipBytes } = await bundleForBrowser('test/support/qr-module.ts');
  console.log(`QR codes: ${(gzipBytes / 1_000).toFixed(1)} kB gzip`);
  expect(gzipBytes).toBeLessThan(20_000);
});

describe.runIf(hasBrowser)('a QR code in a browser', { tags: ['process', 'slow'] }, () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage();
    const { code } = await bundleForBrowser('test/support/qr-module.ts');
    await page.addScriptTag({ content: code });
  });
  afterAll(() => browser?.close());

  it('is drawn as the server draws it, to the byte', { tags: 'nightly' }, async () => {
    const qrCodes = createQrCodes();
    await fc.assert(
      fc.asyncProperty(fc.array(anyDrawing, { minLength: 20, maxLength: 20 }), async (drawings) => {
        const drawn = await page.evaluate((sent) => Promise.all(sent.map((one) => bundle.drawSent(one))), drawings);
        for (const [index, { logo, ...drawing }] of drawings.entries()) {
          const own = logo && { mime: logo.mime, bytes: Buffer.from(logo.base64, 'base64') };
          expect(drawn[index]).toBe(await qrCodes.drawSvg({ ...drawing, logo: own }));
        }
      }),
      { numRuns: isNight ? 10 : 2 },
    );
  });
});
