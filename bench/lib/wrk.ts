import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeExit, run } from '#scripts/lib/running.ts';
import { goFirst } from './machine.ts';

export interface Load {
  /** `http://127.0.0.1:3001` */
  url: string;
  /** Lua that defines `request`, and `delay` where the load is paced. */
  script: string;
  connections: number;
  /** Whether the client goes before PostgreSQL on the core that they share: else its own waits are in the times. */
  goesFirst?: boolean;
}

/** Counts and times of wrk. */
export interface Seen {
  /** Answers received whole. */
  requests: number;
  /** Those among them whose status was 400 or more. */
  failures: number;
  /** Connections that failed, and answers that did not come within 5 s. */
  faults: number;
  perSecond: number;
  /** Percentiles of the time to an answer, in milliseconds. */
  p50Ms: number;
  p99Ms: number;
}

interface Report {
  requests: number;
  durationUs: number;
  failures: number;
  faults: number;
  p50: number;
  p99: number;
}

const timeoutSeconds = 5;
const graceMs = 30_000;
const mark = 'report: ';
const report = `
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('${mark}{"requests":%d,"durationUs":%d,"failures":%d,"faults":%d,"p50":%d,"p99":%d}\\n',
    summary.requests, summary.duration, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
`;

/** Runs wrk with one thread for `seconds`. @param folder where its script is put. */
export async function wrk(
  { url, script, connections, goesFirst = false }: Load,
  seconds: number,
  folder: string,
): Promise<Seen> {
  const file = join(folder, 'load.lua');
  writeFileSync(file, script + report);
  const args = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', `${timeoutSeconds}s`];
  const lines: string[] = [];
  const running = run({ command: 'wrk', args: [...args, '-s', file, url], onLine: (line) => lines.push(line) });
  if (goesFirst && running.pid !== undefined) goFirst(running.pid);
  const late = setTimeout(() => void running.stop([]), seconds * 1_000 + graceMs);
  const exit = await running.exited;
  clearTimeout(late);
  const line = lines.find((text) => text.startsWith(mark));
  if (exit.code !== 0 || line === undefined) throw new Error(`wrk ${describeExit(exit)}\n${lines.join('\n')}`);
  const seen = JSON.parse(line.slice(mark.length)) as Report;
  return {
    requests: seen.requests,
    failures: seen.failures,
    faults: seen.faults,
    perSecond: (seen.requests * 1e6) / seen.durationUs,
    p50Ms: seen.p50 / 1_000,
    p99Ms: seen.p99 / 1_000,
  };
}
