import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '#test/support/free-ports.ts';
import { drill, type DrillResult, isClean } from './soak/drill.ts';
import { createRandom } from './soak/random.ts';
import { type Component, components, startSoakStack } from './soak/stack.ts';
import { formatTable, linkColumns, webhookColumns } from './soak/table.ts';
import { isWhole, webhookDrill, type WebhookDrillResult } from './soak/webhooks/drill.ts';
import { startSoakReceiver } from './soak/webhooks/receiver.ts';

// `npm run soak`: kills each component in turn under load, many times over, and tells what was lost, if anything.

const drills = ['links', 'webhooks'] as const;
const usage = `usage: npm run -s soak -- [--rounds N] [--only ${components.join(',')}] [--drills ${drills.join(',')}] [--seed N] [--verbose]`;
// Seeds of rounds follow one another.
const maxSeed = 2 ** 31;
const eventsPerRound = 2_000;

// The reader of the output may end first; that must not leave servers behind.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exit(await main());

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  const { rounds, only, seed, verbose } = options;
  console.log(`Seed ${seed}; ${rounds} rounds of each: ${only.join(', ')}; ${options.drills.join(', ')}.`);
  const stop = Promise.withResolvers<'stop'>();
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isStopping = true;
      stop.resolve('stop');
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'waymark-soak-'));
  const results: DrillResult[] = [];
  const webhookResults: WebhookDrillResult[] = [];
  try {
    await using receiver = await startSoakReceiver(createRandom(seed));
    await using stack = await startSoakStack({
      folder,
      ports: await freePorts(5),
      env: receiver.env,
      onLine: (component, line) => verbose && console.log(`${component.padEnd(8)} | ${line}`),
    });
    const all = Array.from({ length: rounds * only.length }, (_, index) => ({
      component: only[index % only.length]!,
      seed: seed + index,
    }));
    const repeat = async (drillOne: (component: Component, own: number) => Promise<string>): Promise<void> => {
      for (const round of all) {
        if (isStopping) break;
        const line = await Promise.race([drillOne(round.component, round.seed), stop.promise]);
        if (line === 'stop') break;
        console.log(line);
      }
    };
    if (options.drills.includes('links')) {
      await repeat(async (component, own) => {
        const result = await drill(stack, [component], own);
        results.push(result);
        return describe(result);
      });
    }
    if (options.drills.includes('webhooks')) {
      await repeat(async (component, own) => {
        const result = await webhookDrill(stack, receiver, component, { seed: own, events: eventsPerRound });
        webhookResults.push(result);
        return describeWebhooks(result);
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const wanted = rounds * only.length;
  let isRight = true;
  if (options.drills.includes('links')) {
    console.log(`\n${formatTable(only, (name) => results.filter(({ killed }) => killed.includes(name)), linkColumns)}`);
    isRight &&= results.length === wanted && results.every(isClean);
  }
  if (options.drills.includes('webhooks')) {
    console.log(
      `\n${formatTable(only, (name) => webhookResults.filter(({ component }) => component === name), webhookColumns)}`,
    );
    isRight &&= webhookResults.length === wanted && webhookResults.every(isWhole);
  }
  return isRight ? 0 : 1;
}

interface Options {
  rounds: number;
  only: Component[];
  drills: (typeof drills)[number][];
  seed: number;
  verbose: boolean;
}

function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '20' },
        only: { type: 'string', default: components.join(',') },
        drills: { type: 'string', default: drills.join(',') },
        seed: { type: 'string', default: String(randomInt(maxSeed)) },
        verbose: { type: 'boolean', default: false },
      },
    });
    const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
    const only = values.only.split(',') as Component[];
    const chosen = values.drills.split(',') as Options['drills'];
    const isRight = Number.isInteger(rounds) && rounds > 0 && Number.isInteger(seed);
    const areKnown = only.every((name) => components.includes(name)) && chosen.every((name) => drills.includes(name));
    return isRight && areKnown ? { rounds, only, drills: chosen, seed, verbose: values.verbose } : undefined;
  } catch {
    return undefined;
  }
}

function describe(result: DrillResult): string {
  const { killed, seed, seen, clicks, made, recoverySeconds } = result;
  const time =
    recoverySeconds === null ? 'not recovered within a minute' : `recovered in ${recoverySeconds.toFixed(1)} s`;
  const verdict = isClean(result) ? 'clean' : `NOT CLEAN: ${JSON.stringify(result)}`;
  return `${killed.join().padEnd(8)} seed ${seed}: ${seen} redirects, ${clicks.stored} clicks, ${made} links, ${time}; ${verdict}`;
}

function describeWebhooks(result: WebhookDrillResult): string {
  const { component, seed, done, events, received, settledSeconds } = result;
  const time = settledSeconds === null ? 'not settled in time' : `settled in ${settledSeconds.toFixed(1)} s`;
  const verdict = isWhole(result) ? 'whole' : `NOT WHOLE: ${JSON.stringify(result)}`;
  return `${component.padEnd(8)} seed ${seed}: ${done} changes, ${events.written} events, ${received.twice} twice, ${time}; ${verdict}`;
}
