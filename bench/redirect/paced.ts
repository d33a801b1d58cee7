import { count, spreadOf } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { interleave } from '#bench/lib/interleave.ts';
import type { RedirectStage } from './stage.ts';
import { visitRun } from './visits.ts';

// wrk cannot pace: enough connections that pause at random add up to the rate. Answers take little of the time between, so the
// rate hardly depends on the server.
const paces = [
  { perSecond: 300, connections: 32 },
  { perSecond: 3_000, connections: 128 },
];
// A pause is at least this much longer than asked for: timers of wrk go by the millisecond.
const timerMs = 0.5;
const mostDeviation = 0.1;
const mostMs = 3;

/** Measures latency below the limit of throughput: R3. */
export async function measurePaced(stage: RedirectStage, findings: Findings): Promise<void> {
  const { options, slugs } = stage;
  const [bare, edge] = [await stage.bare(), await stage.edge()];
  // Fills the caches first.
  await interleave(
    [visitRun(stage, { target: edge, paths: { inTurn: slugs }, isChecked: true })],
    { rounds: 1, seconds: 2, warmUpSeconds: 1 },
    options,
  );
  for (const { perSecond, connections } of paces) {
    console.log(`R3: ${count(perSecond)} requests a second`);
    const visits = {
      paths: { random: slugs },
      connections,
      pauseMs: (connections * 1_000) / perSecond - timerMs,
    };
    const runs = [
      visitRun(stage, { target: bare, ...visits, name: `bare, ${count(perSecond)}/s` }),
      visitRun(stage, { target: edge, ...visits, name: `edge, ${count(perSecond)}/s`, isChecked: true }),
    ];
    const measured = await interleave(runs, options.timing, options);
    const [to, of] = runs.map(({ name }) => measured.get(name)!);
    for (const run of [to!, of!]) {
      const { median } = spreadOf(run.perSecond);
      if (Math.abs(median / perSecond - 1) > mostDeviation) run.mismatch ??= `the rate was ${count(median)}/s`;
    }
    // Of few requests, the slowest ones vary by chance.
    findings.baseline(to!, 'p50Ms');
    const what = `p99 at ${count(perSecond)} requests a second`;
    findings.time({ id: 'R3', what, of: of!, to: to!, by: 'p99Ms', mostMs });
  }
  await Promise.all([bare.stop(), edge.stop()]);
}
