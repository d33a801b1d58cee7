import type { Bench } from '#bench/lib/bench.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { measureCreates } from './creates.ts';
import { createStage } from './stage.ts';

/** Measures the making of links: C1. */
export const bench: Bench = async (options) => {
  const findings = createFindings();
  await using stage = await createStage(options);
  await measureCreates(stage, findings);
  return findings.outcome();
};
