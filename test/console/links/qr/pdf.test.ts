import { inflateSync } from 'node:zlib';
import { DOMParser } from '@xmldom/xmldom';
import { expect, test } from 'vitest';
import { createQrPdf } from '#console/links/qr/pdf/pdf.ts';
import { drawQrSvg } from '#core/links/qr/draw.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import { firstTemplate } from '#core/links/qr/template.ts';

const data = 'https://go.example.com/spring?qr=1';
const logo = { bytes: new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'), mime: 'image/svg+xml' };

async function pdfOf(options: QrOptions, { bleed = 0, withLogo = false } = {}): Promise<string> {
  const tools = { measure: async () => ({ width: 2, height: 1 }), toBase64: () => '' };
  const text = await drawQrSvg({ data, options, size: 600, logo: withLogo ? logo : undefined }, tools);
  const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement as unknown as Element;
  const pixels = { width: 2, height: 1, data: Uint8ClampedArray.of(255, 0, 0, 255, 0, 0, 255, 128) };
  return Buffer.from(await createQrPdf({ svg, size: 30, bleed, rasterize: async () => pixels })).toString('latin1');
}

/** The texts of all streams. */
const streamsOf = (pdf: string): string[] =>
  [...pdf.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, bytes = '']) =>
    inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1'),
  );

test('a code for print has the size that was asked for, and its bleed beyond the cut', async () => {
  const pdf = await pdfOf(firstTemplate, { bleed: 3 });
  expect(pdf).toContain('/MediaBox [0 0 102.0472 102.0472]');
  expect(pdf).toContain('/TrimBox [8.5039 8.5039 93.5433 93.5433]');
  expect(streamsOf(pdf)[0]).toContain('1 g 0 0 102.0472 102.0472 re f');
});

test('offsets of the objects are those of the table at the end', async () => {
  const pdf = await pdfOf(firstTemplate, { withLogo: true });
  const offsets = [...pdf.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
  expect(offsets.length).toBeGreaterThan(4);
  for (const [index, offset] of offsets.entries()) expect(pdf.slice(offset)).toMatch(`${String(index + 1)} 0 obj`);
  expect(pdf.slice(Number(/startxref\n(\d+)/.exec(pdf)?.[1]))).toMatch(/^xref/);
});

test.each(['square', 'rounded', 'extra-rounded', 'dots', 'classy', 'classy-rounded'] as const)(
  'modules and corners that are %s become shapes, painted by black ink alone where they are black',
  async (type) => {
    const options = { ...firstTemplate, dotsOptions: { type, color: '#000000' }, cornersSquareOptions: { type } };
    const [content = ''] = streamsOf(await pdfOf(options));
    expect(content).toContain('0 g');
    expect(content).not.toMatch(/NaN|undefined/);
    expect(content.match(/ m /g)?.length ?? 0).toBeGreaterThan(100);
  },
);

test('gradients become shadings, and a logo a picture with its transparency', async () => {
  const colorStops = [
    { offset: 0, color: '#4C1D95' },
    { offset: 0.5, color: '#000' },
    { offset: 1, color: '#9D174D' },
  ];
  const gradient = { type: 'radial', colorStops } as const;
  const pdf = await pdfOf({ ...firstTemplate, dotsOptions: { color: '#000000', gradient } }, { withLogo: true });
  expect(pdf).toContain('/ShadingType 3');
  expect(pdf).toContain('/FunctionType 3 /Domain [0 1]');
  expect(pdf).toContain('/SMask');
  expect(streamsOf(pdf).some((content) => content.includes('/Logo0 Do'))).toBe(true);
});
