import type { Timing } from './interleave.ts';
import type { Report } from './report.ts';

/** How a benchmark is to be run. */
export interface BenchOptions {
  timing: Timing;
  /** A short run that only shows that the benchmark works: its figures mean nothing. */
  isQuick: boolean;
  /** How many clicks statistics are measured on; undefined: as many as the row says. */
  clicks: number | undefined;
  /** Whether a row is to be measured. */
  wants(id: string): boolean;
  /** Another checkout whose servers are measured in turn with this one's. */
  beside: string | undefined;
  /** A folder of its own, removed after it. */
  folder: string;
  /** Aborted when the benchmark is to stop. */
  signal: AbortSignal;
}

/** A benchmark: starts the processes that it measures, and stops them. */
export type Bench = (options: BenchOptions, report: Report) => Promise<void>;
