const steps = 5;

/** Steps of one colour by quantiles, 1 to 5: countries with many clicks do not leave all others pale. */
export function stepsOf(counts: ReadonlyMap<string, number>): Map<string, number> {
  const all = [...counts.values()];
  return new Map(
    [...counts].map(([code, count]) => {
      const more = all.filter((other) => other > count).length;
      return [code, steps - Math.floor((more / all.length) * steps)];
    }),
  );
}
