import type { Bench } from '#bench/lib/bench.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { measureCaps } from './caps.ts';
import { measureClosing } from './closing.ts';
import { measureCold } from './cold.ts';
import { measureEdits } from './edits.ts';
import { measureMemory } from './memory.ts';
import { measurePaced } from './paced.ts';
import { onRedirectStage } from './stage.ts';
import { measureThroughput } from './throughput.ts';

const parts = [
  { goals: ['R1', 'R4', 'R7', 'R8'], measure: measureThroughput },
  { goals: ['R4'], measure: measureClosing },
  { goals: ['R3'], measure: measurePaced },
  { goals: ['R5'], measure: measureCaps },
  { goals: ['R7'], measure: measureCold },
  { goals: ['R7'], measure: measureEdits },
  { goals: ['R8'], measure: measureMemory },
];

/** Measures the edge: R1, R3 to R5, R7 and R8. */
export const bench: Bench = async (options) => {
  const findings = createFindings();
  const isWanted = (goal: string): boolean => options.only.length === 0 || options.only.includes(goal);
  await onRedirectStage(options, async (stage) => {
    for (const { goals, measure } of parts) {
      const wanted = goals.filter(isWanted);
      if (wanted.length > 0) await measure(stage, findings, wanted);
    }
  });
  const { findings: found, ...rest } = findings.outcome();
  return { ...rest, findings: found.toSorted((a, b) => a.id.localeCompare(b.id)) };
};
