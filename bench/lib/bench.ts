import type { Timing } from './interleave.ts';
import type { Outcome } from './report.ts';

/** How a benchmark is to be run. */
export interface BenchOptions {
  timing: Timing;
  /** A short run that only shows that the benchmark works: its figures mean nothing. */
  isQuick: boolean;
  /** How many clicks statistics are measured on; undefined: as many as the goals say. */
  clicks: number | undefined;
  /** Goals to be measured; empty: all. */
  only: readonly string[];
  /** A folder of its own, removed after it. */
  folder: string;
  /** Aborted when the benchmark is to stop. */
  signal: AbortSignal;
}

/** A benchmark: starts the processes that it measures, and stops them. */
export type Bench = (options: BenchOptions) => Promise<Outcome>;
