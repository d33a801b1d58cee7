import { count, spreadOf } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import type { Stage } from './stage.ts';

const sizes = [
  { endpoints: 1, rows: 16_000 },
  { endpoints: 20, rows: 1_000 },
  { endpoints: 100, rows: 800 },
] as const;
const quickShare = 0.05;
const wantedPerSecond = 2_000;

/** W1: measures deliveries a second, each attempt recorded. */
export async function measureThroughput({ options, hooks }: Stage, findings: Findings): Promise<void> {
  for (const { endpoints, rows: full } of sizes) {
    const rows = options.isQuick ? Math.max(20, full * quickShare) : full;
    console.log(`W1: ${endpoints} endpoints, ${count(rows)} rows each`);
    const ids = await hooks.make('ok', endpoints);
    const total = rows * endpoints;
    const rates: number[] = [];
    let isRight = true;
    for (let round = 0; round <= options.timing.rounds; round += 1) {
      options.signal.throwIfAborted();
      await hooks.asleep(ids, options.signal);
      await hooks.fill(ids, rows);
      const startedAt = performance.now();
      await hooks.wake(ids);
      await hooks.drained(ids, options.signal);
      const seconds = (performance.now() - startedAt) / 1_000;
      isRight &&= (await hooks.delivered(ids)) === total;
      await hooks.empty();
      console.log(`  ${count(total / seconds)}/s`);
      // The first one warms up.
      if (round === 0) continue;
      rates.push(total / seconds);
    }
    await hooks.clear();
    const { median, min, max } = spreadOf(rates);
    findings.add({
      id: 'W1',
      what: `${endpoints} endpoints, ${count(rows)} deliveries each`,
      figure: isRight ? `${count(median)}/s (${count(min)}–${count(max)})` : 'no figure: some were not delivered once',
      baseline: '',
      ratio: '',
      goal: `≥ ${count(wantedPerSecond)}/s`,
      isMet: isRight ? median >= wantedPerSecond : null,
    });
  }
}
