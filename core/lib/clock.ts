/** A larger difference of clocks is reported on /readyz. */
const toleratedSkewMs = 1_000;

/** A look at another machine's clock: Unix times in milliseconds, ours before and after, theirs in between. */
interface ClockReading {
  askedAtMs: number;
  theirsMs: number;
  answeredAtMs: number;
}

/**
 * How far the two clocks are apart at least, in milliseconds, whenever during the round trip theirs was read; positive: ours
 * is behind.
 */
export function skewOf({ askedAtMs, theirsMs, answeredAtMs }: ClockReading): number {
  if (theirsMs > answeredAtMs) return theirsMs - answeredAtMs;
  return theirsMs < askedAtMs ? theirsMs - askedAtMs : 0;
}

/** The line of /readyz about a skew; undefined where it is tolerable. */
export function describeSkew(skewMs: number): string | undefined {
  if (Math.abs(skewMs) < toleratedSkewMs) return undefined;
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return `clock: ${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${direction} the database's`;
}
