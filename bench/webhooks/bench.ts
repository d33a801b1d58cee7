import type { Bench } from '#bench/lib/bench.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { measureClicks } from './clicks.ts';
import { measureSlowness } from './slowness.ts';
import { createStage } from '#bench/lib/stage.ts';
import { prepareWebhooks, type Stage } from './stage.ts';
import { measureThroughput } from './throughput.ts';
import { measureTurns } from './turns.ts';

const parts = {
  throughput: measureThroughput,
  slowness: measureSlowness,
  clicks: measureClicks,
  turns: measureTurns,
} satisfies Record<string, (stage: Stage, findings: ReturnType<typeof createFindings>) => Promise<void>>;

/** Measures webhooks: W1 and W2. */
export const bench: Bench = async (options) => {
  const findings = createFindings();
  await using base = await createStage(options);
  const stage = await prepareWebhooks(base);
  for (const [name, measure] of Object.entries(parts)) {
    if (options.only.length === 0 || options.only.includes(name)) await measure(stage, findings);
  }
  return findings.outcome();
};
