import { mkdirSync, mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, BenchOptions } from './lib/bench.ts';
import { describeMachine, MissingError, prepareMachine } from './lib/machine.ts';
import { type Finding, formatFindings, type Outcome } from './lib/report.ts';

// `npm run bench -- <name>`: measures Waymark against its goals, beside a bare server on the same machine in the same minutes.

const benches: Record<string, () => Promise<{ bench: Bench }>> = {
  redirect: () => import('./redirect/bench.ts'),
  create: () => import('./create/bench.ts'),
  webhooks: () => import('./webhooks/bench.ts'),
  list: () => import('./list/bench.ts'),
  deletes: () => import('./deletes/bench.ts'),
  imports: () => import('./imports/bench.ts'),
  verdicts: () => import('./imports/verdicts.ts'),
  stats: () => import('./stats/bench.ts'),
  clickhouse: () => import('./clickhouse/bench.ts'),
  small: () => import('./small/bench.ts'),
  victims: () => import('./victims/bench.ts'),
};

const usage = `usage: npm run -s bench -- <all|${Object.keys(benches).join('|')}>… [--rounds N] [--seconds N] [--only R1,R3] [--quick] [--clicks N]`;
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
  let code: number = exitCodes.done;
  try {
    prepareMachine();
    console.log(describeMachine());
    const rows: Finding[] = [];
    for (const name of options.names) {
      const measured = await measure(name, options, stopping.signal);
      code = Math.max(code, measured.code);
      rows.push(...measured.findings);
    }
    if (options.names.length > 1) console.log(`\n${formatFindings(rows)}\n`);
  } catch (error) {
    if (stopping.signal.aborted) console.error('interrupted');
    else console.error(error instanceof MissingError ? error.message : error);
    return exitCodes.failed;
  }
  return code;
}

interface MeasuredBench {
  code: number;
  findings: readonly Finding[];
}

/** @throws the error of a benchmark that is measured alone; of several, one that fails gets a row that says so. */
async function measure(name: string, options: Options, signal: AbortSignal): Promise<MeasuredBench> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
  // PostgreSQL, which does not run as root, must be able to pass.
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, 'data'), { mode: 0o711 });
  try {
    const { bench } = await benches[name]!();
    const outcome = await bench({ ...options, folder, signal });
    return { code: conclude(name, outcome, options), findings: outcome.findings };
  } catch (error) {
    if (signal.aborted || options.names.length === 1) throw error;
    console.error(error instanceof MissingError ? error.message : error);
    const row = { id: name, what: 'the benchmark failed', figure: '', baseline: '', ratio: '', goal: '', isMet: null };
    return { code: exitCodes.failed, findings: [row] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function conclude(name: string, { findings, noisy, mismatches }: Outcome, options: Options): number {
  const { isQuick } = options;
  console.log(`\n${formatFindings(findings)}\n`);
  for (const line of mismatches) console.log(`Counts do not match, so there is no figure. ${line}`);
  for (const line of noisy) console.log(`The machine was not quiet: these figures are not to be believed. ${line}`);
  if (isQuick) console.log('Too short to tell anything: it only shows that the benchmark works.');
  if (mismatches.length > 0) return exitCodes.failed;
  if (noisy.length > 0) return exitCodes.noisy;
  return exitCodes.done;
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
      },
    });
    const { quick } = values;
    const rounds = Number(values.rounds ?? (quick ? 1 : 5));
    const seconds = Number(values.seconds ?? (quick ? 2 : 8));
    const clicks = values.clicks === undefined ? undefined : Number(values.clicks);
    const only = values.only.split(',').filter(Boolean);
    const areRight = [rounds, seconds, clicks ?? 1].every((number) => Number.isInteger(number) && number > 0);
    const names = positionals.includes('all') ? Object.keys(benches) : positionals;
    const areKnown = names.length > 0 && names.every((name) => Object.hasOwn(benches, name));
    if (!areRight || !areKnown) return undefined;
    const timing = { rounds, seconds, warmUpSeconds: quick ? 1 : warmUpSeconds };
    return { names, timing, isQuick: quick, clicks, only };
  } catch {
    return undefined;
  }
}
