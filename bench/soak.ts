import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '#test/support/free-ports.ts';
import { drill, type DrillResult, isClean } from '#test/support/kill/drill.ts';
import { createRandom } from '#test/support/kill/random.ts';
import { startKillReceiver } from '#test/support/kill/receiver.ts';
import { type Component, components, type KillStack, startKillStack } from '#test/support/kill/stack.ts';
import { residentBytes } from './lib/machine.ts';
import { formatTable } from './lib/report.ts';

// `npm run soak`: row R6. Kills each component in turn under load, many times over, or none for hours, and tells what was lost or
// doubled, and how much memory the processes took.

const targets = [...components, 'nothing'] as const;
type Target = (typeof targets)[number];
const usage = `usage: npm run -s soak -- [--rounds N] [--seconds N] [--only ${targets.join(',')}] [--seed N] [--quick] [--verbose]`;
// Seeds of rounds follow one another.
const maxSeed = 2 ** 31;
const measured = ['api', 'edge', 'worker'] as const;
type Memory = Record<(typeof measured)[number], number>;

const columns: Record<string, (result: DrillResult) => number> = {
  rounds: () => 1,
  '302s seen': ({ seen }) => seen,
  'broken visits': ({ unsure }) => unsure,
  'clicks stored': ({ clicks }) => clicks.stored,
  'clicks lost': ({ clicks }) => clicks.lost,
  'clicks twice': ({ clicks }) => clicks.twice,
  'links made': ({ made }) => made,
  'links lost': ({ links }) => links.lost,
  'links twice': ({ links }) => links.twice,
  'verdicts missing': ({ links }) => links.verdictsMissing,
  events: ({ events }) => events.written,
  'events missing': ({ events }) => Object.values(events.unwritten).reduce((total, count) => total + count, 0),
  'events twice': ({ events }) => events.doubled,
  'deliveries lost': ({ events }) => events.undelivered,
  'deliveries twice': ({ events }) => events.takenTwice,
  'bodies altered': ({ events }) => events.altered,
  'odd answers': ({ odd }) => odd.length,
  'not recovered': ({ recoverySeconds }) => (recoverySeconds === null ? 1 : 0),
  'seconds to recover': ({ recoverySeconds }) => recoverySeconds ?? 0,
};

// The reader of the output may end first; that must not leave servers behind.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exit(await main());

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  const { rounds, only, seed, seconds, verbose } = options;
  console.log(`Seed ${seed}; ${rounds} rounds of each: ${only.join(', ')}.`);
  const stop = Promise.withResolvers<'stop'>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.resolve('stop'));
  const folder = mkdtempSync(join(tmpdir(), 'waymark-soak-'));
  const results: DrillResult[] = [];
  const memory: Memory[] = [];
  try {
    await using receiver = await startKillReceiver(createRandom(seed));
    await using stack = await startKillStack({
      folder,
      ports: await freePorts(5),
      env: receiver.env,
      onLine: (component, line) => verbose && console.log(`${component.padEnd(8)} | ${line}`),
    });
    for (let index = 0; index < rounds * only.length; index += 1) {
      const target = only[index % only.length]!;
      const killed = target === 'nothing' ? [] : [target];
      const round = drill(stack, receiver, killed, { seed: seed + index, leastMs: seconds * 1_000 });
      const result = await Promise.race([round, stop.promise]);
      if (result === 'stop') break;
      results.push(result);
      memory.push(readMemory(stack));
      const verdict = isClean(result) ? 'clean' : `NOT CLEAN: ${JSON.stringify(result)}`;
      console.log(`${target.padEnd(8)} seed ${result.seed}: ${verdict}; MB ${JSON.stringify(memory.at(-1))}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    `\n${formatTable([['killed', ...Object.keys(columns)], ...only.map((target) => lineOf(target, results))])}`,
  );
  // A round that kills a process gives it its memory anew.
  for (const name of measured)
    console.log(`memory of ${name}, MB by round: ${memory.map((round) => round[name]).join(' ')}`);
  return results.length === rounds * only.length && results.every(isClean) ? 0 : 1;
}

function readMemory(stack: KillStack): Memory {
  const megabytes = (component: Component): number => {
    const pid = stack.pid(component);
    return pid === undefined ? 0 : Math.round(residentBytes(pid) / 1e6);
  };
  return { api: megabytes('api'), edge: megabytes('edge'), worker: megabytes('worker') };
}

/** The sums of a component's rounds, and the longest recovery. */
function lineOf(target: Target, results: readonly DrillResult[]): string[] {
  const own = results.filter(({ killed }) => (killed[0] ?? 'nothing') === target);
  return [
    target,
    ...Object.entries(columns).map(([title, of]) => {
      const values = own.map(of);
      if (title === 'seconds to recover') return Math.max(0, ...values).toFixed(1);
      return String(values.reduce((total, value) => total + value, 0));
    }),
  ];
}

function readOptions():
  | { rounds: number; only: Target[]; seed: number; seconds: number; verbose: boolean }
  | undefined {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string' },
        seconds: { type: 'string', default: '0' },
        only: { type: 'string' },
        seed: { type: 'string', default: String(randomInt(maxSeed)) },
        quick: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
      },
    });
    const { quick, verbose } = values;
    const rounds = Number(values.rounds ?? (quick ? 1 : 20));
    const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
    const only = (values.only ?? (quick ? 'edge' : components.join(','))).split(',') as Target[];
    const areRight = [rounds, seconds, seed].every((number) => Number.isInteger(number) && number >= 0) && rounds > 0;
    return areRight && only.every((name) => targets.includes(name))
      ? { rounds, only, seed, seconds, verbose }
      : undefined;
  } catch {
    return undefined;
  }
}
