import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFakeWebRisk } from '#test/support/fake-web-risk.ts';
import { createOrganization } from '#test/support/factories.ts';
import type { BenchOptions } from '#bench/lib/bench.ts';
import { milliseconds, percentile } from '#bench/lib/figures.ts';
import type { Report } from '#bench/lib/report.ts';
import { createStage, noRateLimits } from '#bench/lib/stage.ts';
import { sendImport } from './send-import.ts';

const aloneMs = 10_000;
// The scans of an import's links go on long after its rows.
const besideMs = 60_000;
const quickShare = 0.1;
const pauseMs = 100;
const pollMs = 20;
const mostMs = 2_000;

/** Measures how long new links wait for their verdict of Web Risk, alone and beside the import of another organization: V2. */
export async function measureVerdicts(options: BenchOptions, rows: number, report: Report): Promise<void> {
  const folder = join(options.folder, 'verdicts');
  // PostgreSQL, which does not run as root, must be able to pass.
  mkdirSync(join(folder, 'data'), { recursive: true, mode: 0o711 });
  await using webRisk = await createFakeWebRisk();
  const settings = { ...noRateLimits, WEB_RISK_ENDPOINT: webRisk.url };
  await using stage = await createStage({ ...options, folder }, { settings });
  const { url } = await stage.start('api');
  await stage.start('worker');
  const [{ key }, greedy] = [await createOrganization(stage.database.db), await createOrganization(stage.database.db)];

  let links = 0;
  const measureLink = async (): Promise<number> => {
    const value = `https://verdict${(links += 1)}.example/`;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const calledAtMs = performance.now();
    const body = JSON.stringify({ destination: { type: 'link', value } });
    let answer = await fetch(`${url}/short-link`, { method: 'POST', headers, body });
    for (;;) {
      if (!answer.ok) throw new Error(`A link answered ${answer.status}: ${await answer.text()}`);
      const { id, threatTypes } = (await answer.json()) as { id: string; threatTypes: string[] | null };
      if (threatTypes !== null) return performance.now() - calledAtMs;
      await sleep(pollMs, undefined, { signal: options.signal });
      answer = await fetch(`${url}/short-link/${id}`, { headers });
    }
  };
  const measureFor = async (ms: number): Promise<number[]> => {
    const untilMs = performance.now() + (options.isQuick ? ms * quickShare : ms);
    const waits: number[] = [];
    while (performance.now() < untilMs) {
      waits.push(await measureLink());
      await sleep(pauseMs, undefined, { signal: options.signal });
    }
    return waits;
  };
  // The first links pay for compilation and query plans.
  await measureFor(aloneMs);
  const alone = await measureFor(aloneMs);
  await sendImport(url, greedy.key, rows);
  const beside = await measureFor(besideMs);
  const [p50, p99] = [percentile(beside, 0.5), percentile(beside, 0.99)];
  report.add({
    id: 'V2',
    what: `verdict of a new link beside an import of ${rows} rows of another organization`,
    figure: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, most ${milliseconds(Math.max(...beside))}`,
    beside: `p50 ${milliseconds(percentile(alone, 0.5))}, p99 ${milliseconds(percentile(alone, 0.99))}`,
    goal: `p99 ≤ ${milliseconds(mostMs)}`,
    isMet: p99 <= mostMs,
  });
}
