import type { Bench } from '#bench/lib/bench.ts';
import { measureCold, measureEdits } from './cold.ts';
import { measureCaps, measureClosing, measureMemory, measurePaced, measureThroughput } from './loads.ts';
import { onRedirectStage } from './stage.ts';

const parts = [
  { rows: ['R1', 'R4', 'R7', 'R8'], measure: measureThroughput },
  { rows: ['R4'], measure: measureClosing },
  { rows: ['R3'], measure: measurePaced },
  { rows: ['R5'], measure: measureCaps },
  { rows: ['R7'], measure: measureCold },
  { rows: ['R7'], measure: measureEdits },
  { rows: ['R8'], measure: measureMemory },
];

/** Measures the edge: R1, R3 to R5, R7 and R8. */
export const bench: Bench = async (options, report) => {
  await onRedirectStage(options, async (stage) => {
    for (const { rows, measure } of parts) {
      if (!rows.some(options.wants)) continue;
      console.log(`${rows.join(', ')}: ${measure.name}`);
      await measure(stage, report);
    }
  });
};
