import { count, spreadOf } from './figures.ts';
import { type Load, type Seen, wrk } from './wrk.ts';

/** A load on one process, measured in turn with others. */
export interface Run {
  name: string;
  load: Load;
  /**
   * Called when the client has ended: waits until every click is stored, and compares them with the client's count.
   * @returns the mismatch, or undefined.
   */
  check?(seen: Seen): Promise<string | undefined>;
  /** Whether each answer must have a status of 400 or more. Default: below 400. */
  isRefused?: boolean;
}

/** Results of one run, a value for each round. */
export interface Measured {
  name: string;
  perSecond: number[];
  p50Ms: number[];
  p99Ms: number[];
  /** Why there is no figure. */
  mismatch?: string;
}

/** Number and length of rounds. */
export interface Timing {
  rounds: number;
  seconds: number;
  warmUpSeconds: number;
}

/** Measures all runs in turn, round by round, so that a slow minute of the machine affects all of them. */
export async function interleave(
  runs: readonly Run[],
  { rounds, seconds, warmUpSeconds }: Timing,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<Map<string, Measured>> {
  const all = new Map(runs.map(({ name }) => [name, empty(name)]));
  for (let round = 0; round <= rounds; round += 1) {
    const isWarmUp = round === 0;
    for (const run of runs) {
      signal.throwIfAborted();
      const seen = await wrk(run.load, isWarmUp ? warmUpSeconds : seconds, folder);
      const measured = all.get(run.name)!;
      const mismatch = checkAnswers(run, seen) ?? (await run.check?.(seen));
      if (mismatch !== undefined) {
        measured.mismatch ??= mismatch;
        console.log(`  ${run.name}: ${mismatch}`);
      }
      if (isWarmUp) continue;
      for (const key of ['perSecond', 'p50Ms', 'p99Ms'] as const) measured[key].push(seen[key]);
    }
    console.log(isWarmUp ? '  warm' : `  round ${round} of ${rounds}`);
  }
  for (const measured of all.values()) console.log(describe(measured));
  return all;
}

function checkAnswers({ isRefused = false }: Run, { requests, failures, faults }: Seen): string | undefined {
  if (faults > 0) return `${faults} connections failed or timed out`;
  const wrong = isRefused ? requests - failures : failures;
  return wrong > 0 ? `${wrong} of ${requests} answers had another status` : undefined;
}

function empty(name: string): Measured {
  return { name, perSecond: [], p50Ms: [], p99Ms: [] };
}

function describe({ name, perSecond, p50Ms, p99Ms }: Measured): string {
  const { median, min, max } = spreadOf(perSecond);
  const [p50, p99] = [p50Ms, p99Ms].map((values) => spreadOf(values).median);
  return `  ${name.padEnd(28)} ${count(median)}/s (${count(min)}–${count(max)}); p50 ${p50!.toFixed(2)}, p99 ${p99!.toFixed(2)} ms`;
}
