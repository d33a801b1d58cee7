import { setTimeout as sleep } from 'node:timers/promises';
import { createHome, type Home, type NpmStart, npmStart } from '#test/support/npm-start.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { MissingError, useEveryCore, useOneCore } from '#bench/lib/machine.ts';
import type { Report } from '#bench/lib/report.ts';
import { createMemoryGroup } from './cgroup.ts';
import { readProductMemory } from './memory.ts';

const mostIdleMb = 650;
const mostStartSeconds = 6;
const smallMachineBytes = 1_024 ** 3;
// Garbage of the start is collected, and connections that only the start needed are closed after ten seconds.
const idleAfterMs = 60_000;
const quickIdleAfterMs = 25_000;
const calls = 300;
const quickCalls = 30;
const linksPerCall = 10;

/** Measures a warm start, S1, and what `npm start` takes: its idle memory, and whether one core and 1 GiB suffice, S2. */
export const bench: Bench = async ({ isQuick, signal }, report) => {
  await using home = await createHome();
  // The first start makes the database, and strips types and bundles anew where the code has changed.
  useEveryCore();
  await withProduct(home, async () => undefined);
  const { seconds, idle } = await withProduct(home, async (run, seconds) => {
    await sleep(isQuick ? quickIdleAfterMs : idleAfterMs, undefined, { signal });
    return { seconds, idle: readProductMemory(run.pid) };
  });
  const started = {
    figure: `${seconds.toFixed(1)} s`,
    goal: `≤ ${mostStartSeconds} s`,
    isMet: seconds <= mostStartSeconds,
  };
  report.add({ id: 'S1', what: 'npm start, warm', ...started });
  const took = { figure: `${idle.total} MB`, goal: `≤ ${mostIdleMb} MB`, isMet: idle.total <= mostIdleMb };
  report.add({ id: 'S2', what: 'npm start, idle (PSS)', ...took, beside: idle.parts });
  await runSmall(home, isQuick ? quickCalls : calls, report);
};

async function runSmall(home: Home, calls: number, report: Report): Promise<void> {
  const group = createMemoryGroup(smallMachineBytes);
  if (group === undefined) throw new MissingError('S2 needs root and a writable cgroup v1 of memory.');
  try {
    // Groups and cores are inherited at the start.
    useOneCore();
    group.enter();
    await withProduct(home, async (run, seconds) => {
      group.leave();
      useEveryCore();
      const failed = await use(run, calls);
      const restarts = run.output().match(/starting it again/g)?.length ?? 0;
      report.add({
        id: 'S2',
        what: `one core and 1 GiB: ${calls * linksPerCall} links, ${calls} visits`,
        figure: `${restarts} restarts, ${group.kills()} kills, ${failed} calls failed`,
        beside: `ready in ${seconds.toFixed(1)} s; ${readProductMemory(run.pid).total} MB after it`,
        goal: 'no restart',
        isMet: restarts + group.kills() + failed === 0,
      });
    });
  } finally {
    useEveryCore();
    group.leave();
    group.remove();
  }
}

/** Makes and visits links, one call after the other. @returns how many calls failed. */
async function use(run: NpmStart, calls: number): Promise<number> {
  const headers = { 'x-api-key': run.row('API key'), 'content-type': 'application/json' };
  let failed = 0;
  for (let call = 0; call < calls; call += 1) {
    const slug = (index: number): string => `small-${call}-${index}`;
    const links = Array.from({ length: linksPerCall }, (_, index) => ({
      slug: slug(index),
      destination: { type: 'link', value: `https://example.com/${slug(index)}` },
    }));
    const body = JSON.stringify({ links });
    const made = await fetch(`${run.row('API')}/short-link/bulk`, { method: 'POST', headers, body });
    await made.text();
    const visit = await fetch(`${run.row('Edge')}/${slug(0)}`, { redirect: 'manual' });
    await visit.text();
    if (!made.ok || visit.status !== 302) failed += 1;
  }
  return failed;
}

/** @param work gets the seconds until it was ready, too. */
async function withProduct<T>(home: Home, work: (run: NpmStart, seconds: number) => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  await using run = npmStart(home, { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_PER_MINUTE: '1000000' });
  await run.line(/^ready$/);
  const result = await work(run, (performance.now() - startedAt) / 1_000);
  process.kill(run.pid, 'SIGTERM');
  await run.exited;
  return result;
}
