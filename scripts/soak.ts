import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '../test/support/free-ports.ts';
import { drill, type DrillResult, isClean } from './soak/drill.ts';
import { type Component, components, startSoakStack } from './soak/stack.ts';
import { formatTable } from './soak/table.ts';

// `npm run soak`: kills each component in turn under load, many times over, and tells what was lost, if anything.

const usage = `usage: npm run -s soak -- [--rounds N] [--only ${components.join(',')}] [--seed N] [--verbose]`;
// Seeds of rounds follow one another.
const maxSeed = 2 ** 31;

// Whoever reads may be gone before we are; that must not leave servers behind.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exit(await main());

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  const { rounds, only, seed, verbose } = options;
  console.log(`Seed ${seed}; ${rounds} rounds of each: ${only.join(', ')}.`);
  const stop = Promise.withResolvers<'stop'>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.resolve('stop'));
  const folder = mkdtempSync(join(tmpdir(), 'waymark-soak-'));
  const results: DrillResult[] = [];
  try {
    await using stack = await startSoakStack({
      folder,
      ports: await freePorts(5),
      onLine: (component, line) => verbose && console.log(`${component.padEnd(8)} | ${line}`),
    });
    for (let index = 0; index < rounds * only.length; index += 1) {
      const result = await Promise.race([drill(stack, only[index % only.length]!, seed + index), stop.promise]);
      if (result === 'stop') break;
      results.push(result);
      console.log(describe(result));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\n${formatTable(only, results)}`);
  return results.length === rounds * only.length && results.every(isClean) ? 0 : 1;
}

function readOptions(): { rounds: number; only: Component[]; seed: number; verbose: boolean } | undefined {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '20' },
        only: { type: 'string', default: components.join(',') },
        seed: { type: 'string', default: String(randomInt(maxSeed)) },
        verbose: { type: 'boolean', default: false },
      },
    });
    const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
    const only = values.only.split(',') as Component[];
    const isRight = Number.isInteger(rounds) && rounds > 0 && Number.isInteger(seed);
    return isRight && only.every((name) => components.includes(name))
      ? { rounds, only, seed, verbose: values.verbose }
      : undefined;
  } catch {
    return undefined;
  }
}

function describe(result: DrillResult): string {
  const { component, seed, seen, clicks, made, recoverySeconds } = result;
  const time =
    recoverySeconds === null ? 'not recovered within a minute' : `recovered in ${recoverySeconds.toFixed(1)} s`;
  const verdict = isClean(result) ? 'clean' : `NOT CLEAN: ${JSON.stringify(result)}`;
  return `${component.padEnd(8)} seed ${seed}: ${seen} redirects, ${clicks.stored} clicks, ${made} links, ${time}; ${verdict}`;
}
