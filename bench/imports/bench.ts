import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db/connection/database.ts';
import { createOrganization } from '#test/support/factories.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { count, describeRatio, milliseconds, percentile, ratioOf, spreadOf } from '#bench/lib/figures.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { useEveryCore } from '#bench/lib/machine.ts';
import { createStage } from '#bench/lib/stage.ts';
import { nextUrl, sendFile } from './file.ts';

const rows = 50_000;
const quickRows = 2_000;
const warmUpRows = 1_000;
const leastRowsPerSecond = 3_000;
const creates = 400;
const quickCreates = 30;
const pauseMs = 20;
const p99 = 0.99;
const mostRatio = 1.5;
const deadlineMs = 300_000;
const pollMs = 50;

/** Measures an import, alone and beside the creates of another organization: M1. */
export const bench: Bench = async (options) => {
  const { signal, timing, isQuick } = options;
  const findings = createFindings();
  // As `npm start` runs it: the kernel divides the cores between all processes.
  useEveryCore();
  await using stage = await createStage(options, {
    settings: { RATE_LIMIT_PER_SECOND: '100', RATE_LIMIT_PER_MINUTE: '6000' },
  });
  const { db } = stage.database;
  const { url: address } = await stage.start('API', 'server.ts', { env: { SERVE: 'api' } });
  await stage.start('worker', 'worker.ts');
  const other = await createOrganization(db);
  const size = isQuick ? quickRows : rows;
  /** Imports a file for a new organization. @returns rows a second, from the answer of the call on, and how many there were. */
  const importFile = async (links: number): Promise<{ done: Promise<number>; isDone(): Promise<boolean> }> => {
    const { key } = await createOrganization(db);
    const id = await sendFile(address, key, links);
    const startedAtMs = performance.now();
    return {
      isDone: () => isImported(db, id, links),
      done: (async () => {
        while (!(await isImported(db, id, links))) {
          signal.throwIfAborted();
          if (performance.now() - startedAtMs > deadlineMs) throw new Error('the import does not end in time');
          await sleep(pollMs);
        }
        return (links / (performance.now() - startedAtMs)) * 1_000;
      })(),
    };
  };
  const create = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let made = 0; made < (isQuick ? quickCreates : creates); made += 1) {
      signal.throwIfAborted();
      times.push(await timeCreate(address, other.key));
      await sleep(pauseMs);
    }
    return times;
  };
  // The first calls and rows are not measured: they pay for compilation and query plans.
  await create();
  await (
    await importFile(warmUpRows)
  ).done;

  const perSecond: number[] = [];
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < timing.rounds; round += 1) {
    const running = await importFile(size);
    perSecond.push(await running.done);
    // Until the worker has no more to do for the import.
    await sleep(2_000);
    alone.push(percentile(await create(), p99));
    const next = await importFile(size);
    beside.push(percentile(await create(), p99));
    if (!isQuick && (await next.isDone())) throw new Error('the import ended before the creates beside it');
    console.log(
      `  ${count(perSecond.at(-1)!)} rows/s; creates: p99 ${alone.at(-1)!.toFixed(1)} ms alone, ${beside.at(-1)!.toFixed(1)} ms beside`,
    );
    console.log(`  ${count(await next.done)} rows/s, half of the time beside creates`);
  }

  const rate = spreadOf(perSecond).median;
  findings.add({
    id: 'M1',
    what: `an import of ${count(size)} rows`,
    figure: `${count(rate)} rows/s`,
    baseline: '',
    ratio: '',
    goal: `≥ ${count(leastRowsPerSecond)} rows/s`,
    isMet: rate >= leastRowsPerSecond,
  });
  const ratio = ratioOf(beside, alone);
  findings.add({
    id: 'M1',
    what: 'creates of another organization meanwhile, p99',
    figure: milliseconds(spreadOf(beside).median),
    baseline: milliseconds(spreadOf(alone).median),
    ratio: describeRatio(ratio),
    goal: `≤ ${mostRatio}`,
    isMet: ratio.median <= mostRatio,
  });
  return findings.outcome();
};

/** Whether an import has ended. @throws Error where not every row became one link. */
async function isImported(db: Database, id: string, links: number): Promise<boolean> {
  const { rows: found } = await db.query<{ imported: number; isOver: boolean; made: number }>(
    `select imported, finished_at is not null as "isOver", case when finished_at is null then 0 else
       (select count(*) from short_links l where l.organization_id = i.organization_id) end as made
     from imports i where id = $1`,
    [id],
  );
  const { imported, isOver, made } = found[0]!;
  if (isOver && (imported !== links || made !== links))
    throw new Error(`${imported} of ${links} rows were imported, as ${made} links`);
  return isOver;
}

/** Makes a link. @returns how long the call took, in milliseconds. */
async function timeCreate(address: string, key: string): Promise<number> {
  const startedAtMs = performance.now();
  const { status } = await fetch(`${address}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ destination: { type: 'link', value: nextUrl() } }),
  });
  if (status !== 201) throw new Error(`A create answered ${status}`);
  return performance.now() - startedAtMs;
}
