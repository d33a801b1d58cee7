import type { Bench } from '#bench/lib/bench.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { createStage, noRateLimits } from '#bench/lib/stage.ts';
import { measureCreates } from './creates.ts';

/** Measures the making of links: C1. */
export const bench: Bench = async (options) => {
  const findings = createFindings();
  // One organization makes the links of a whole day of many: past its budget no verdict would be known within the call.
  await using stage = await createStage(options, { settings: { ...noRateLimits, THREAT_SCANS_PER_DAY: '1000000000' } });
  await measureCreates(stage, findings);
  return findings.outcome();
};
