/** One number of a metric. Labels hold words out of a short list, never slugs, ids or addresses. */
export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Reads a metric at each scrape: one number, or one for each set of labels. */
export type ReadSamples = () => number | readonly Sample[] | Promise<number | readonly Sample[]>;

/** A distribution of observed values. */
interface Histogram {
  observe(labels: Readonly<Record<string, string>>, value: number): void;
}

/**
 * Registers metrics. Names are in the style of Prometheus, with their unit: `waymark_…_seconds`, `waymark_…_bytes`,
 * `waymark_…_total`. A metric whose reading fails is left out of the scrape.
 */
export interface Meter {
  /** A total that only grows while the process lives. */
  counter(name: string, help: string, read: ReadSamples, labels?: readonly string[]): void;
  /** A number that goes up and down. */
  gauge(name: string, help: string, read: ReadSamples, labels?: readonly string[]): void;
  /** A distribution; `buckets` are upper bounds. */
  histogram(name: string, help: string, buckets: readonly number[], labels?: readonly string[]): Histogram;
}

/** For processes without a metrics port. */
export const noMeter: Meter = {
  counter: () => undefined,
  gauge: () => undefined,
  histogram: () => ({ observe: () => undefined }),
};

/** Counts by kind, as samples with that kind as their label. */
export function samplesOf(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([kind, value]) => ({ labels: { [label]: kind }, value }));
}

/** Lets several metrics share one read: calls while it is under way get its result. */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= read().finally(() => {
      underWay = undefined;
    }));
}
