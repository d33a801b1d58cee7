/** A figure over several rounds. */
interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Median, least and greatest of some values; at least one is needed. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle]!;
  return {
    median: sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2,
    min: sorted[0]!,
    max: sorted.at(-1)!,
  };
}

/** The value that a share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;
}

/** Ratios of two series, round by round. */
export function ratioOf(over: readonly number[], under: readonly number[]): Spread {
  return spreadOf(over.map((value, round) => value / under[round]!));
}

// A choice: beyond it the machine was not quiet, and ratios mean nothing.
const mostVariation = 0.2;

/** Whether a baseline varied too much for the figures beside it to mean anything. */
export function isNoisy({ median, min, max }: Spread): boolean {
  return (max - min) / median > mostVariation;
}

/** Writes a count with its thousands apart. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Writes a quotient with its spread. */
export function describeRatio({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}
