import { describe, expect, it } from 'vitest';
import type { QrOptions } from '#core/links/qr-code.ts';
import { firstTemplate } from '#core/links/qr/template.ts';
import { findQrWarnings } from '#core/links/warnings/qr-warnings.ts';

const pathsOf = (options: QrOptions, hasLogo = false): string[] =>
  findQrWarnings(options, hasLogo).map(({ path }) => path);
const stops = (...colors: string[]) => ({
  type: 'linear' as const,
  colorStops: colors.map((color, index) => ({ offset: index / (colors.length - 1), color })),
});

describe('warnings of a QR code that some scanners cannot read', () => {
  it.each<[what: string, options: QrOptions]>([
    ['nothing said', {}],
    ['the template of first domains', firstTemplate],
    ['modules of all types but one in small pictures', { width: 101, dotsOptions: { type: 'extra-rounded' } }],
    ['classy-rounded modules from 200 pixels on', { width: 200, height: 200, dotsOptions: { type: 'classy-rounded' } }],
    ['round corners from 300 pixels on', { cornersSquareOptions: { type: 'dot' } }],
    ['a contrast of just 3:1', { dotsOptions: { color: '#949494' } }],
    ['dark colors on light ground', { dotsOptions: { color: '#7a0000' }, backgroundOptions: { color: '#ffffe0' } }],
    ['a dark gradient', { dotsOptions: { gradient: stops('#7a0000', '#00007a') } }],
    ['a color that a gradient hides', { dotsOptions: { color: '#ffffff', gradient: stops('#000', '#333') } }],
    ['a quiet zone of two modules', { margin: 2 }],
    ['a quiet zone that leaves a module a pixel', { margin: 131 }],
  ])('warns of nothing: %s', (_what, options) => {
    expect(pathsOf(options, true)).toEqual([]);
  });

  it.each<[what: string, options: QrOptions, paths: string[]]>([
    ['a quiet zone that leaves a module less than a pixel', { margin: 132 }, ['margin']],
    ['such a quiet zone in a small picture', { width: 101, margin: 33 }, ['margin']],
    ['outer corners of dots', { cornersSquareOptions: { type: 'dots' } }, ['cornersSquareOptions.type']],
    ['inner corners of dots', { cornersDotOptions: { type: 'dots' } }, ['cornersDotOptions.type']],
    [
      'round corners under 300 pixels',
      { width: 299, cornersSquareOptions: { type: 'dot' } },
      ['cornersSquareOptions.type'],
    ],
    [
      'classy-rounded modules under 200 pixels',
      { width: 199, dotsOptions: { type: 'classy-rounded' } },
      ['dotsOptions.type'],
    ],
    [
      'classy-rounded modules in a flat picture',
      { width: 400, height: 150, dotsOptions: { type: 'classy-rounded' } },
      ['dotsOptions.type'],
    ],
    ['a contrast below 3:1', { dotsOptions: { color: '#969696' } }, ['dotsOptions.color']],
    ['a contrast that opacity takes', { dotsOptions: { color: '#00000040' } }, ['dotsOptions.color']],
    ['short colors', { dotsOptions: { color: '#ccc' } }, ['dotsOptions.color']],
    ['short colors with opacity', { dotsOptions: { color: '#0003' } }, ['dotsOptions.color']],
    [
      'pale corners',
      { cornersSquareOptions: { color: '#ffff00' }, cornersDotOptions: { color: '#eee' } },
      ['cornersSquareOptions.color', 'cornersDotOptions.color'],
    ],
    ['a gradient that ends pale', { dotsOptions: { gradient: stops('#000', '#ddd') } }, ['dotsOptions.gradient']],
    [
      'modules lighter than the ground',
      { dotsOptions: { color: '#fff' }, backgroundOptions: { color: '#000' } },
      ['dotsOptions.color'],
    ],
    ['black modules on a dark ground', { backgroundOptions: { color: '#333' } }, ['dotsOptions.color']],
    ['no quiet zone', { margin: 0 }, ['margin']],
  ])('warns of %s', (_what, options, paths) => {
    expect(pathsOf(options)).toEqual(paths);
  });

  it('warns of a large logo only where there is one', () => {
    const options = { imageOptions: { imageSize: 0.6 } };
    expect(pathsOf(options, true)).toEqual(['imageOptions.imageSize']);
    expect(pathsOf(options, false)).toEqual([]);
    expect(pathsOf({ imageOptions: { imageSize: 0.5 } }, true)).toEqual([]);
  });
});
