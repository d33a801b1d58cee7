/** Colours of labels that have a name. */
export const namedColors = {
  blue: '#2563EB',
  green: '#16A34A',
  red: '#DC2626',
  amber: '#D97706',
  violet: '#7C3AED',
  cyan: '#0891B2',
  pink: '#DB2777',
  olive: '#4D7C0F',
  gray: '#64748B',
} as const;

export type ColorName = keyof typeof namedColors;

/** All names, in the order of choices. */
export const colorNames = Object.keys(namedColors) as ColorName[];

/** The name of a colour like `#2563EB`, without regard to case; undefined: it has none. */
export function nameOfColor(code: string): ColorName | undefined {
  return colorNames.find((name) => namedColors[name] === code.toUpperCase());
}

/** The named colour that looks most like a colour: the least distance in OKLab. */
export function nearestColor(code: string): ColorName {
  const wanted = toOklab(code);
  const distances = colorNames.map((name): [ColorName, number] => [
    name,
    Math.hypot(...toOklab(namedColors[name]).map((value, index) => value - wanted[index]!)),
  ]);
  return distances.reduce((best, one) => (one[1] < best[1] ? one : best))[0];
}

/** @see https://bottosson.github.io/posts/oklab/ */
function toOklab(code: string): [number, number, number] {
  const [red, green, blue] = [1, 3, 5].map((at) => toLinear(Number.parseInt(code.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toLinear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
