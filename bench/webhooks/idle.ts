import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { cpuTimeMs, residentBytes } from '#bench/lib/machine.ts';
import type { Stage } from './stage.ts';

const actors = { quick: 200, usual: 2_000, large: 10_000 };
const wantedMebibytes = 200;
// A choice: Temporal is busy with the last wake-ups for some seconds.
const settleMs = 20_000;
const restMs = 10_000;

/** Measures the cost of many idle endpoints that were sent one event each. */
export async function measureIdle(stage: Stage, findings: Findings): Promise<void> {
  const { hooks, options, worker, temporalPid } = stage;
  const number = options.isQuick ? actors.quick : options.isLarge ? actors.large : actors.usual;
  console.log(`W1: ${count(number)} actors with nothing to do`);
  const before = memoryOf(stage);
  const ids = await hooks.make('ok', number);
  await hooks.fill(ids, 1);
  const startedAt = performance.now();
  await hooks.wake(ids);
  await hooks.drained(ids, options.signal);
  const seconds = (performance.now() - startedAt) / 1_000;
  await sleep(settleMs, undefined, { signal: options.signal });
  const after = memoryOf(stage);
  const [workerCpu, temporalCpu] = [cpuTimeMs(worker.pid), cpuTimeMs(temporalPid)];
  await sleep(restMs, undefined, { signal: options.signal });
  const share = (nowMs: number, thenMs: number): string => `${(((nowMs - thenMs) * 100) / restMs).toFixed(1)} %`;
  const add = (what: string, figure: string, baseline = '', goal = '', isMet: boolean | null = null): void =>
    findings.add({ id: 'W1', what, figure, baseline, ratio: '', goal, isMet });
  add(
    `the worker's memory with ${count(number)} idle actors, and without`,
    mebibytes(after.worker),
    mebibytes(before.worker),
    `≤ ${wantedMebibytes} MiB more`,
    after.worker - before.worker <= wantedMebibytes * 2 ** 20,
  );
  add(`Temporal's memory then, and without`, mebibytes(after.temporal), mebibytes(before.temporal));
  add('a core that the worker takes then', share(cpuTimeMs(worker.pid), workerCpu));
  add('a core that Temporal takes then', share(cpuTimeMs(temporalPid), temporalCpu));
  add('actors begun a second, one delivery each', `${count(number / seconds)}/s`);
  await hooks.clear();
}

function memoryOf({ worker, temporalPid }: Stage): { worker: number; temporal: number } {
  return { worker: residentBytes(worker.pid), temporal: residentBytes(temporalPid) };
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
