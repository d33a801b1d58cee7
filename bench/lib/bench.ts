import type { Timing } from './interleave.ts';
import type { Outcome } from './report.ts';

/** How a benchmark is to be run. */
export interface BenchOptions {
  timing: Timing;
  /** Whether it is to be short, to see that it works: its figures tell nothing. */
  isQuick: boolean;
  /** Whether what takes long to prepare is measured too. */
  isLarge: boolean;
  /** How many clicks statistics are measured on; undefined: as many as the goals say. */
  clicks: number | undefined;
  /** Goals to be measured; empty: all. */
  only: readonly string[];
  /** A folder of its own, removed after it. */
  folder: string;
  /** Asks to give up. */
  signal: AbortSignal;
}

/** A benchmark: starts what it measures, and ends it. */
export type Bench = (options: BenchOptions) => Promise<Outcome>;
