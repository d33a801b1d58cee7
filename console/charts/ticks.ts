const wanted = 4;

/** Values of an axis of counts, from 0 in even steps of 1, 2 or 5 times a power of ten; the last is the largest count or more. */
export function ticksFor(most: number): number[] {
  const rough = Math.max(1, most) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
  const count = Math.ceil(Math.max(1, most) / step);
  return Array.from({ length: count + 1 }, (_value, index) => index * step);
}

/** Indexes of at most some of many names, evenly apart, the first among them. */
export function spread(length: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(length / most));
  return Array.from({ length: Math.ceil(length / step) }, (_value, index) => index * step);
}
