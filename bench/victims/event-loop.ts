import { setTimeout as sleep } from 'node:timers/promises';

/** Delays of the event loop of a process, and its garbage collections, since the last reading. */
export interface LoopDelays {
  p99Ms: number;
  mostMs: number;
  /** Milliseconds in garbage collections, of each second. */
  collectingMsPerSecond: number;
  /** Milliseconds of processor time, of each second. */
  workingMsPerSecond: number;
}

/** Reads the delays of a process; each reading begins a new measurement. */
export type LoopDelayReader = () => Promise<LoopDelays>;

// The histogram behind the metrics counts delays from the end of its own period, which is part of each value.
const samplePeriodMs = 10;
// A reading that arrives while the loop is held has to wait for it, and is not to be part of what it measures.
const settleMs = 50;

/** Reads the delays of the event loop by the metrics of a process (`METRICS_PORT`). */
export function createLoopDelayReader(port: number): LoopDelayReader {
  let before = { atMs: performance.now(), collectingMs: 0, workingMs: 0 };
  return async () => {
    await sleep(settleMs);
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await response.text();
    const now = {
      atMs: performance.now(),
      collectingMs: sumOf(text, 'nodejs_gc_duration_seconds_sum') * 1_000,
      workingMs: sumOf(text, 'process_cpu_seconds_total') * 1_000,
    };
    const seconds = (now.atMs - before.atMs) / 1_000;
    const delays = {
      p99Ms: delayOf(text, 'nodejs_eventloop_lag_p99_seconds'),
      mostMs: delayOf(text, 'nodejs_eventloop_lag_max_seconds'),
      collectingMsPerSecond: (now.collectingMs - before.collectingMs) / seconds,
      workingMsPerSecond: (now.workingMs - before.workingMs) / seconds,
    };
    before = now;
    return delays;
  };
}

function delayOf(text: string, name: string): number {
  return Math.max(0, sumOf(text, name) * 1_000 - samplePeriodMs);
}

/** The sum of a metric's samples, whatever their labels. */
function sumOf(text: string, name: string): number {
  let sum = 0;
  for (const line of text.split('\n'))
    if (line.startsWith(name) && /^[ {]/.test(line.slice(name.length)))
      sum += Number(line.slice(line.lastIndexOf(' ')));
  return sum;
}
