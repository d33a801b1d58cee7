/** How much was done at a moment. */
export interface Sample {
  atMs: number;
  done: number;
}

// Long enough to even out batches, short enough to follow a change.
const windowMs = 30_000;

/**
 * Adds a sample, and drops all but one of the samples that are older than half a minute. Where the number of rows has become less,
 * the earlier samples are dropped.
 */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.done < last.done) return [sample];
  const recent = samples.filter(({ atMs }, index) => {
    const next = samples[index + 1];
    return atMs >= sample.atMs - windowMs || (next !== undefined && next.atMs >= sample.atMs - windowMs);
  });
  return [...recent, sample];
}

/** Rows a second, and the seconds that the rest takes; undefined: not known yet. */
export function estimate(
  samples: readonly Sample[],
  total: number,
): { perSecond: number; secondsLeft: number } | undefined {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.done <= first.done) return undefined;
  const perSecond = ((last.done - first.done) * 1_000) / (last.atMs - first.atMs);
  return { perSecond, secondsLeft: Math.max(0, total - last.done) / perSecond };
}
