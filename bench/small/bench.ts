import { setTimeout as sleep } from 'node:timers/promises';
import { createHome, type Home, type NpmStart, npmStart } from '#test/support/npm-start.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { MissingError, useEveryCore, useOneCore } from '#bench/lib/machine.ts';
import { createMemoryGroup } from './cgroup.ts';
import { type ProductMemory, readProductMemory } from './memory.ts';

const mostIdleMb = 650;
const mb = 1_000_000;
const smallMachineBytes = 1_024 ** 3;
// Garbage of the start is collected, and connections that only the start needed are closed after ten seconds.
const idleAfterMs = 60_000;
const quickIdleAfterMs = 25_000;
const readyDeadlineMs = 180_000;
const calls = 300;
const linksPerCall = 10;

/** S2: memory of an idle `npm start` by process; the product on one core and 1 GiB. */
export const bench: Bench = async ({ isQuick, signal }) => {
  const findings = createFindings();
  await using home = await createHome();
  // The first start makes the database, and strips types and bundles anew where the code has changed.
  useEveryCore();
  await withProduct(home, async () => undefined);
  const idle = await withProduct(home, async (run) => {
    await sleep(isQuick ? quickIdleAfterMs : idleAfterMs, undefined, { signal });
    return readProductMemory(run.pid);
  });
  const goal = { goal: `≤ ${mostIdleMb} MB`, isMet: idle.total / mb <= mostIdleMb };
  findings.add({ id: 'S2', what: 'npm start, idle (PSS)', figure: megabytes(idle.total), ...beside(idle), ...goal });
  const { outcome, isRight } = await runSmall(home);
  const what = `one core and 1 GiB: ${calls * linksPerCall} links, ${calls} visits`;
  findings.add({ id: 'S2', what, ...outcome, ratio: '', goal: 'no restart', isMet: isRight });
  return findings.outcome();
};

async function runSmall(home: Home): Promise<{ outcome: { figure: string; baseline: string }; isRight: boolean }> {
  const group = createMemoryGroup(smallMachineBytes);
  if (group === undefined) throw new MissingError('S2 needs root and a writable cgroup v1 of memory.');
  try {
    // Groups and cores are inherited at the start.
    useOneCore();
    group.enter();
    const starting = performance.now();
    return await withProduct(home, async (run) => {
      const startedS = ((performance.now() - starting) / 1_000).toFixed(1);
      group.leave();
      useEveryCore();
      const failed = await use(run);
      const restarts = run.output().match(/starting it again/g)?.length ?? 0;
      const figure = `${restarts} restarts, ${group.kills()} kills, ${failed} calls failed`;
      const baseline = `ready in ${startedS} s; ${megabytes(readProductMemory(run.pid).total)} after it, ${megabytes(group.peakBytes())} with files at most`;
      return { outcome: { figure, baseline }, isRight: restarts + group.kills() + failed === 0 };
    });
  } finally {
    useEveryCore();
    group.leave();
    group.remove();
  }
}

/** Makes and visits links, one call after the other. @returns how many calls failed. */
async function use(run: NpmStart): Promise<number> {
  const headers = { 'x-api-key': run.row('API key'), 'content-type': 'application/json' };
  let failed = 0;
  for (let call = 0; call < calls; call += 1) {
    const slug = (index: number): string => `small-${call}-${index}`;
    const links = Array.from({ length: linksPerCall }, (_, index) => ({
      slug: slug(index),
      destination: { type: 'link', value: `https://example.com/${slug(index)}` },
    }));
    const made = await fetch(`${run.row('API')}/short-link/bulk`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ links }),
    });
    await made.text();
    const visit = await fetch(`${run.row('Edge')}/${slug(0)}`, { redirect: 'manual' });
    await visit.text();
    if (!made.ok || visit.status !== 302) failed += 1;
  }
  return failed;
}

async function withProduct<T>(home: Home, work: (run: NpmStart) => Promise<T>): Promise<T> {
  await using run = npmStart(
    home,
    { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_PER_MINUTE: '1000000' },
    { deadlineMs: readyDeadlineMs },
  );
  await run.line(/^ready$/);
  const result = await work(run);
  process.kill(run.pid, 'SIGTERM');
  await run.exited;
  return result;
}

function beside({ parts }: ProductMemory): { baseline: string; ratio: string } {
  const sorted = [...parts].toSorted(([, a], [, b]) => b - a);
  return { baseline: sorted.map(([name, bytes]) => `${name} ${Math.round(bytes / mb)}`).join(', '), ratio: '' };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / mb)} MB`;
}
