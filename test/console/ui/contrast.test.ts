import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

type Rgb = readonly [number, number, number];

const css = readFileSync(new URL('../../../console/ui/tokens.css', import.meta.url), 'utf8');
const colour = String.raw`oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)`;
const tokens = new Map(
  [...css.matchAll(new RegExp(String.raw`--([\w-]+): light-dark\(${colour}, ${colour}\)`, 'g'))].map(
    ([, name = '', ...numbers]): [string, { light: Rgb; dark: Rgb }] => {
      const [l, c, h, dl, dc, dh] = numbers.map(Number) as [number, number, number, number, number, number];
      return [name, { light: toLinearRgb(l / 100, c, h), dark: toLinearRgb(dl / 100, dc, dh) }];
    },
  ),
);

/** OKLCH to linear sRGB (CSS Color 4 §10), clipped to what screens show. */
function toLinearRgb(lightness: number, chroma: number, hue: number): Rgb {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return rgb.map((value) => Math.min(1, Math.max(0, value))) as unknown as Rgb;
}

const luminance = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

function contrast(one: Rgb, other: Rgb): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const grounds = ['ground', 'surface', 'raised', 'hover', 'selected'];
const texts: [string, string, number][] = [
  ...grounds.flatMap((ground): [string, string, number][] => [
    ['text', ground, 4.5],
    ['text-quiet', ground, 4.5],
    ['accent', ground, 4.5],
    ['bad', ground, 4.5],
    ['line-control', ground, 3],
    ['dot-good', ground, 3],
    ['dot-warn', ground, 3],
  ]),
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-hover', 4.5],
  ['on-bad', 'bad', 4.5],
  ['good', 'good-ground', 4.5],
  ['warn', 'warn-ground', 4.5],
  ['bad', 'bad-ground', 4.5],
  ['ground', 'text', 4.5],
];

describe.each(['light', 'dark'] as const)('the colours on %s ground', (theme) => {
  test.each(texts)('%s stands out from %s by %s to 1 (WCAG 2.2 §1.4.3, §1.4.11)', (front, back, least) => {
    expect(contrast(tokens.get(front)![theme], tokens.get(back)![theme])).toBeGreaterThanOrEqual(least);
  });
});
