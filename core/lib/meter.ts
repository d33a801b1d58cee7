/** One number of a metric. Labels hold words out of a short list, never slugs, ids or addresses. */
export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Reads a metric when somebody asks for it: one number, or one for each set of labels. */
export type ReadSamples = () => number | readonly Sample[] | Promise<number | readonly Sample[]>;

/** A distribution that is fed as things happen. */
export interface Histogram {
  observe(labels: Readonly<Record<string, string>>, value: number): void;
}

/**
 * Where rooms register what they measure. Names are in the style of Prometheus, with their unit: `waymark_…_seconds`,
 * `waymark_…_bytes`, `waymark_…_total`. What cannot be read at a scrape is left out of it.
 */
export interface Meter {
  /** A total that only grows while the process lives. */
  counter(name: string, help: string, read: ReadSamples, labels?: readonly string[]): void;
  /** A number that goes up and down. */
  gauge(name: string, help: string, read: ReadSamples, labels?: readonly string[]): void;
  /** A distribution; `buckets` are upper bounds. */
  histogram(name: string, help: string, buckets: readonly number[], labels?: readonly string[]): Histogram;
}

/** Where nobody asks. */
export const noMeter: Meter = {
  counter: () => undefined,
  gauge: () => undefined,
  histogram: () => ({ observe: () => undefined }),
};

/** Counts by kind, as samples with that kind as their label. */
export function samplesOf(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([kind, value]) => ({ labels: { [label]: kind }, value }));
}

/** Lets several metrics be read by one call: whoever asks while it is under way gets its result. */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= read().finally(() => {
      underWay = undefined;
    }));
}
