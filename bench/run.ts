import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, BenchOptions } from './lib/bench.ts';
import { describeMachine, MissingError, prepareMachine } from './lib/machine.ts';
import { createReport, formatRows, type Report } from './lib/report.ts';

// `npm run bench -- <name>`: measures Waymark against its floors, beside a bare server on the same machine in the same minutes.

const benches: Record<string, () => Promise<{ bench: Bench }>> = {
  redirect: () => import('./redirect/bench.ts'),
  create: () => import('./create/bench.ts'),
  imports: () => import('./create/imports.ts'),
  webhooks: () => import('./webhooks/bench.ts'),
  list: () => import('./list.ts'),
  deletes: () => import('./deletes.ts'),
  stats: () => import('./stats/bench.ts'),
  clickhouse: () => import('./stats/clickhouse.ts'),
  small: () => import('./small/bench.ts'),
  victims: () => import('./victims/bench.ts'),
};

const usage = `usage: npm run -s bench -- <all|${Object.keys(benches).join('|')}>… [--rounds N] [--seconds N] [--only R1,R3] [--quick] [--clicks N] [--beside FOLDER]`;
const warmUpSeconds = 3;
const exitCodes = { done: 0, failed: 1, usage: 2, noisy: 3 } as const;

type Options = Omit<BenchOptions, 'folder' | 'signal'> & { names: readonly string[] };

process.exit(await main());

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(usage);
    return exitCodes.usage;
  }
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  const report = createReport();
  let hasFailed = false;
  try {
    prepareMachine();
    console.log(describeMachine());
    for (const name of options.names) {
      if (stopping.signal.aborted) break;
      hasFailed = !(await measure(name, options, stopping.signal, report)) || hasFailed;
    }
  } catch (error) {
    console.error(error instanceof MissingError ? error.message : error);
    return exitCodes.failed;
  }
  console.log(`\n${formatRows(report.rows)}\n`);
  for (const line of report.mismatches) console.log(`Counts do not match, so there is no figure. ${line}`);
  for (const line of report.noisy)
    console.log(`The machine was not quiet: these figures are not to be believed. ${line}`);
  if (options.isQuick) console.log('Too short to tell anything: it only shows that the benchmark works.');
  if (hasFailed || report.mismatches.size > 0 || stopping.signal.aborted) return exitCodes.failed;
  return report.noisy.length > 0 ? exitCodes.noisy : exitCodes.done;
}

/** @returns false where the benchmark failed; others go on. */
async function measure(name: string, options: Options, signal: AbortSignal, report: Report): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
  // PostgreSQL, which does not run as root, must be able to pass.
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, 'data'), { mode: 0o711 });
  try {
    const { bench } = await benches[name]!();
    await bench({ ...options, folder, signal }, report);
    return true;
  } catch (error) {
    console.error(signal.aborted ? 'interrupted' : error instanceof MissingError ? error.message : error);
    report.add({ id: name, what: 'the benchmark failed', figure: '' });
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readOptions(): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string', default: '' },
        quick: { type: 'boolean', default: false },
        clicks: { type: 'string' },
        beside: { type: 'string' },
      },
    });
    const { quick, beside } = values;
    const rounds = Number(values.rounds ?? (quick ? 1 : 5));
    const seconds = Number(values.seconds ?? (quick ? 2 : 8));
    const clicks = values.clicks === undefined ? undefined : Number(values.clicks);
    const only = values.only.split(',').filter(Boolean);
    const areRight = [rounds, seconds, clicks ?? 1].every((number) => Number.isInteger(number) && number > 0);
    const names = positionals.includes('all') ? Object.keys(benches) : positionals;
    const areKnown = names.length > 0 && names.every((name) => Object.hasOwn(benches, name));
    if (!areRight || !areKnown) return undefined;
    return {
      names,
      timing: { rounds, seconds, warmUpSeconds: quick ? 1 : warmUpSeconds },
      isQuick: quick,
      clicks,
      wants: (id) => only.length === 0 || only.includes(id),
      beside: beside === undefined ? undefined : resolve(beside),
    };
  } catch {
    return undefined;
  }
}
