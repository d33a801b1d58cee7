import { count, describeRatio, isNoisy, spreadOf } from '#bench/lib/figures.ts';
import { cpuTimeMs } from '#bench/lib/machine.ts';
import type { Findings } from '#bench/lib/findings.ts';
import type { Measured } from '#bench/lib/interleave.ts';
import type { Stage } from './stage.ts';

// `wanted`: of bare undici's rate; `wantedUs`: of the worker's processor time for each delivery.
const sizes = [
  { endpoints: 1, rows: 16_000, wanted: 0.5, wantedUs: 70 },
  { endpoints: 20, rows: 1_000, wanted: 0.5, wantedUs: undefined },
  { endpoints: 100, rows: 800, wanted: 0.4, wantedUs: 110 },
] as const;
const quickShare = 0.05;
// Ten for each endpoint, as the pumps have, up to the number at which bare undici is fastest (measured).
const mostConnections = 64;
const inFlight = 10;

/** W1: measures deliveries a second, and bare undici before and after each round. */
export async function measureThroughput(stage: Stage, findings: Findings): Promise<void> {
  const { options, hooks, worker } = stage;
  const bareAll: number[] = [];
  for (const { endpoints, rows: full, wanted, wantedUs } of sizes) {
    const rows = options.isQuick ? Math.max(20, full * quickShare) : full;
    console.log(`W1: ${endpoints} endpoints, ${count(rows)} rows each`);
    const ids = await hooks.make('ok', endpoints);
    const total = rows * endpoints;
    const bare = () =>
      stage.bare({
        requests: total,
        connections: Math.min(endpoints * inFlight, mostConnections),
        paths: Array.from({ length: endpoints }, (_, index) => `/ok/bare/${index}`),
      });
    const [rates, bares, ratios, cpuUs]: [number[], number[], number[], number[]] = [[], [], [], []];
    let mismatch: string | undefined;
    for (let round = 0; round <= options.timing.rounds; round += 1) {
      options.signal.throwIfAborted();
      await hooks.asleep(ids, options.signal);
      await hooks.fill(ids, rows);
      const before = await bare();
      const [startedAt, cpuBefore] = [performance.now(), cpuTimeMs(worker.pid)];
      await hooks.wake(ids);
      await hooks.drained(ids, options.signal);
      const seconds = (performance.now() - startedAt) / 1_000;
      const cpu = ((cpuTimeMs(worker.pid) - cpuBefore) * 1_000) / total;
      const after = await bare();
      const delivered = await hooks.delivered(ids);
      if (delivered !== total) mismatch = `${count(total)} deliveries, of which ${count(delivered)} were made once`;
      await hooks.empty();
      const rate = total / seconds;
      const ratio = (2 * rate) / (before + after);
      const label = round === 0 ? 'warm-up' : `round ${round}`;
      console.log(
        `  ${label}: ${count(rate)}/s beside ${count(before)} and ${count(after)}/s: ${ratio.toFixed(2)}; ${cpu.toFixed(0)} µs of the worker's processor time each`,
      );
      if (round === 0) continue;
      rates.push(rate);
      bares.push((before + after) / 2);
      ratios.push(ratio);
      cpuUs.push(cpu);
    }
    await hooks.clear();
    bareAll.push(...bares);
    const of = spreadOf(ratios);
    const who = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
    const what = `${who}, ${count(rows)} deliveries each`;
    if (mismatch !== undefined) findings.add({ ...noFigure, what, goal: `≥ ${wanted}` });
    else {
      findings.add({
        id: 'W1',
        what,
        figure: `${count(spreadOf(rates).median)}/s`,
        baseline: `${count(spreadOf(bares).median)}/s`,
        ratio: describeRatio(of),
        goal: `≥ ${wanted}`,
        isMet: of.median >= wanted,
      });
      const { median: us } = spreadOf(cpuUs);
      findings.add({
        ...noFigure,
        what: `the worker's processor time of a delivery, ${who}`,
        figure: `${us.toFixed(0)} µs`,
        ...(wantedUs !== undefined && { goal: `≤ ${wantedUs} µs`, isMet: us <= wantedUs }),
      });
    }
    if (isNoisy(spreadOf(bares))) findings.baseline(asRun(`bare undici, ${endpoints} endpoints`, bares), 'perSecond');
  }
}

const noFigure = { id: 'W1', what: '', figure: 'no figure', baseline: '', ratio: '', goal: '', isMet: null };

function asRun(name: string, perSecond: number[]): Measured {
  return { name, perSecond, p50Ms: [], p99Ms: [], p999Ms: [], cpuUs: [] };
}
