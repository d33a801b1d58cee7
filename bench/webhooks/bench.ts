import type { Bench } from '#bench/lib/bench.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { measureClicks } from './clicks.ts';
import { measureSlowness } from './slowness.ts';
import { createStage, type Stage } from './stage.ts';
import { measureThroughput } from './throughput.ts';

const parts = {
  throughput: measureThroughput,
  slowness: measureSlowness,
  clicks: measureClicks,
} satisfies Record<string, (stage: Stage, findings: ReturnType<typeof createFindings>) => Promise<void>>;

/** Measures webhooks: W1. */
export const bench: Bench = async (options) => {
  const findings = createFindings();
  await using stage = await createStage(options);
  for (const [name, measure] of Object.entries(parts)) {
    if (options.only.length === 0 || options.only.includes(name)) await measure(stage, findings);
  }
  return findings.outcome();
};
