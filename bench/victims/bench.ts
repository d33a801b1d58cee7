import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createOrganization } from '#test/support/factories.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { beVictim, type ProductAddress, type Tally } from '#test/support/tenants.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { milliseconds, percentile } from '#bench/lib/figures.ts';
import { goFirst, goLast, useEveryCore } from '#bench/lib/machine.ts';
import { createStage } from '#bench/lib/stage.ts';

// As many calls as six keys of one organization may make at once: none of it is refused for being too many calls alone.
const limits = { RATE_LIMIT_PER_SECOND: '30', RATE_LIMIT_PER_MINUTE: '1800' };
// Rows that are imported in a block are scanned before the next one; the rest of a day's scans would last for hours.
const scansPerDay = { THREAT_SCANS_PER_DAY: '10000000' };
// Of each kind of call, in each block, which takes half a minute: enough that a block has long collections of garbage and checkpoints in
// it, and that no two or three calls decide p99.
const callsInBlock = 240;
const quickCalls = 20;
const pauseMs = 20;
const mostRatio = 5;
const lockedSlug = 'locked';

/**
 * Measures what an organization feels of a greedy one beside it: V1. Blocks of calls alone and beside the other one alternate, so
 * that a slow minute of the machine and the growth of the tables affect both.
 */
export const bench: Bench = async (options, report) => {
  const { signal, isQuick, timing } = options;
  // As `npm start` runs it: the kernel divides the cores between all processes.
  useEveryCore();
  const [apiPort, edgePort] = (await freePorts(2)) as [number, number];
  const address: ProductAddress = { apiPort, edgePort, host: `localhost:${edgePort}` };
  const env = { PORT: String(apiPort), EDGE_PORT: String(edgePort) };
  await using stage = await createStage(options, {
    settings: { EDGE_URL: `http://${address.host}`, LOG_LEVEL: 'error', ...limits, ...scansPerDay },
  });
  const { db } = stage.database;
  await stage.start('api', { env });
  await stage.start('edge', { env });
  await stage.start('worker');
  const [greedy, victim] = [await createOrganization(db), await createOrganization(db)];
  const { status } = await fetch(`http://127.0.0.1:${apiPort}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': greedy.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      slug: lockedSlug,
      destination: { type: 'link', value: 'https://example.com/' },
      password: 'secret',
    }),
  });
  if (status !== 201) throw new Error(`A link could not be made: ${status}`);
  // Clients are on other machines. So the calls of the one do not wait for a core, and the other one, which has begun a session of its
  // own, takes none from the product; it is there before it is measured, since a start of Node takes half a second.
  goFirst(process.pid);
  const startGreedy = async (): Promise<ChildProcess> => {
    const load = fork(
      join(import.meta.dirname, 'greedy.ts'),
      [JSON.stringify({ address, key: greedy.key, slug: lockedSlug })],
      { detached: true },
    );
    stage.defer(() => void load.kill());
    goLast(load.pid!);
    await once(load, 'message', { signal });
    return load;
  };
  const [alone, beside]: Record<string, number[]>[] = [{}, {}];
  const failures: string[] = [];
  /** Makes calls for a block. @param series gets their times, unless they are not measured. */
  const live = async (rounds: number, series?: Record<string, number[]>): Promise<void> => {
    const experience = await beVictim(address, victim.key, { rounds, pauseMs });
    if (series === undefined) return;
    for (const [what, times] of Object.entries(experience.times)) (series[what] ??= []).push(...times);
    failures.push(...experience.failures);
  };
  const calls = isQuick ? quickCalls : callsInBlock;
  // The first calls are not measured: they pay for compilation and query plans, for the greedy organization's too.
  await live(quickCalls);
  for (let round = 0; round <= timing.rounds; round += 1) {
    signal.throwIfAborted();
    const load = await startGreedy();
    if (round > 0) await live(calls, alone);
    load.send('start');
    await (round === 0 ? live(quickCalls) : live(calls, beside));
    load.send('stop');
    const [tally] = (await once(load, 'message')) as [Tally];
    console.log(`  round ${round} of ${timing.rounds}`, JSON.stringify(tally));
    // What the greedy organization left behind is no part of what the other one has alone.
    await eventually(async () => {
      const left = 'select from imports where finished_at is null union all select from outbox';
      return (await db.query(left)).rowCount === 0;
    });
  }
  const describe = (times: readonly number[]): string =>
    `p50 ${milliseconds(percentile(times, 0.5))}, p99 ${milliseconds(percentile(times, 0.99))}`;
  for (const [what, times] of Object.entries(beside!)) {
    const before = alone![what]!;
    const ratio = percentile(times, 0.99) / percentile(before, 0.99);
    report.add({
      id: 'V1',
      what: `${what}, beside a greedy organization`,
      figure: describe(times),
      beside: describe(before),
      ratio: ratio.toFixed(2),
      goal: `p99 ≤ ${mostRatio}`,
      isMet: ratio <= mostRatio,
    });
  }
  const isMet = failures.length === 0;
  report.add({ id: 'V1', what: 'its calls that failed', figure: String(failures.length), goal: '0', isMet });
  for (const failure of failures) console.log(failure);
};
