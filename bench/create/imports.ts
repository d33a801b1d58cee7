import { setTimeout as sleep } from 'node:timers/promises';
import { createOrganization } from '#test/support/factories.ts';
import type { Bench, BenchOptions } from '#bench/lib/bench.ts';
import { count } from '#bench/lib/figures.ts';
import { useEveryCore } from '#bench/lib/machine.ts';
import type { Report } from '#bench/lib/report.ts';
import { createStage } from '#bench/lib/stage.ts';
import { sendImport } from './send-import.ts';
import { measureVerdicts } from './verdicts.ts';

const rows = 50_000;
const quickRows = 2_000;
const warmUpRows = 1_000;
const wantedPerSecond = 3_000;
const deadlineMs = 300_000;
const pollMs = 50;

/** Measures an import, C2, and what others feel of it, V2. */
export const bench: Bench = async (options, report) => {
  // As `npm start` runs it: the kernel divides the cores between all processes.
  useEveryCore();
  if (options.wants('C2')) await measureRows(options, report);
  if (options.wants('V2')) await measureVerdicts(options, options.isQuick ? quickRows : rows, report);
};

async function measureRows(options: BenchOptions, report: Report): Promise<void> {
  const { signal, timing, isQuick } = options;
  await using stage = await createStage(options);
  const { db } = stage.database;
  const { url } = await stage.start('api');
  await stage.start('worker');
  /** Imports a file for a new organization. @returns rows a second, from the answer of the call on. */
  const importFile = async (links: number): Promise<number> => {
    const { id: organizationId, key } = await createOrganization(db);
    await sendImport(url, key, links);
    const startedAtMs = performance.now();
    for (;;) {
      const { rows: open } = await db.query('select from imports where organization_id = $1 and finished_at is null', [
        organizationId,
      ]);
      if (open.length === 0) break;
      signal.throwIfAborted();
      if (performance.now() - startedAtMs > deadlineMs) throw new Error('the import does not end in time');
      await sleep(pollMs);
    }
    const perSecond = (links / (performance.now() - startedAtMs)) * 1_000;
    const { rows: found } = await db.query<{ made: number }>(
      'select count(*) as made from short_links where organization_id = $1',
      [organizationId],
    );
    if (found[0]!.made !== links) throw new Error(`${links} rows were imported as ${found[0]!.made} links`);
    console.log(`  ${count(perSecond)} rows/s`);
    return perSecond;
  };
  // The first rows are not measured: they pay for compilation and query plans.
  await importFile(warmUpRows);
  const rates: number[] = [];
  while (rates.length < timing.rounds) rates.push(await importFile(isQuick ? quickRows : rows));
  report.rate({ id: 'C2', what: 'rows of an import', rates, wanted: wantedPerSecond });
}
