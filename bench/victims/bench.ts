import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import { bundleWorkflows } from '#scripts/bundle-workflows.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { createOrganization } from '#test/support/factories.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { beVictim, type Experience, type ProductAddress } from '#test/support/tenants.ts';
import { startApp } from '#bench/lib/app.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { prepareDatabase, startBenchPostgres } from '#bench/lib/database.ts';
import { milliseconds, percentile } from '#bench/lib/figures.ts';
import { useEveryCore } from '#bench/lib/machine.ts';
import { createFindings } from '#bench/lib/findings.ts';

// As many calls as six keys of one organization may make at once: none of it is refused for being too many calls alone.
const limits = { RATE_LIMIT_PER_SECOND: '30', RATE_LIMIT_PER_MINUTE: '1800' };
const roundsEach = 300;
const quickRoundsEach = 20;
const pauseMs = 20;
const mostRatio = 3;
const p99 = 0.99;

/** Measures what an organization feels of a greedy one beside it: V1. */
export const bench: Bench = async ({ folder, signal, isQuick }) => {
  const findings = createFindings();
  // As `npm start` runs it: the kernel divides the cores between all processes.
  useEveryCore();
  const dataDir = join(folder, 'data');
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const [temporalPort, apiPort, edgePort] = (await freePorts(3)) as [number, number, number];
    const { TEMPORAL_CLI: cli, WAYMARK_CACHE_DIR: cacheDir } = loadConfig({
      ...process.env,
      WAYMARK_DATA_DIR: dataDir,
    });
    const binary = await findTemporalBinary({ cli, cacheDir, onProgress: (line) => console.log(line), signal });
    await bundleWorkflows();
    const temporal = await startTemporal({ binary: binary.path, dataDir, port: temporalPort, signal });
    closing.push(() => temporal.stop());
    const postgres = await startBenchPostgres(dataDir);
    closing.push(() => postgres.stop());
    const { db, url } = await prepareDatabase(postgres.url);
    closing.push(() => db.close());
    const host = `localhost:${edgePort}`;
    const address: ProductAddress = { apiPort, edgePort, host };
    const shared = {
      DATABASE_URL: url,
      SECRET_KEY: randomBytes(32).toString('base64url'),
      TEMPORAL_ADDRESS: temporal.address,
      PLATFORM_DOMAIN: host,
      PORT: String(apiPort),
      EDGE_PORT: String(edgePort),
      LOG_LEVEL: 'error',
      ...limits,
    };
    const start = async (name: string, script: string, env: NodeJS.ProcessEnv): Promise<void> => {
      const own = join(folder, name);
      mkdirSync(own);
      const app = await startApp({
        name,
        script,
        env: { ...shared, ...env, WAYMARK_DATA_DIR: own },
        isMeasured: false,
      });
      closing.push(() => app.stop());
    };
    await start('API', 'server.ts', { SERVE: 'api' });
    await start('edge', 'server.ts', { SERVE: 'edge' });
    await start('worker', 'worker.ts', {});
    const [greedy, victim] = [await createOrganization(db), await createOrganization(db)];
    const rounds = isQuick ? quickRoundsEach : roundsEach;
    await lockLink(address, greedy.key);
    const live = (count: number): Promise<Experience> => beVictim(address, victim.key, { rounds: count, pauseMs });
    // The first calls are not measured: they pay for compilation and query plans.
    await live(quickRoundsEach);
    const alone = await live(rounds);
    signal.throwIfAborted();
    const load = fork(join(import.meta.dirname, 'greedy.ts'), [
      JSON.stringify({ address, key: greedy.key, slug: lockedSlug }),
    ]);
    closing.push(async () => load.kill());
    const beside = await live(rounds);
    load.send('stop');
    console.log(JSON.stringify((await once(load, 'message'))[0]));
    for (const [what, times] of Object.entries(beside.times)) {
      const [with99, alone99] = [percentile(times, p99), percentile(alone.times[what]!, p99)];
      const ratio = with99 / alone99;
      findings.add({
        id: 'V1',
        what: `${what}, p99 beside a greedy organization`,
        figure: milliseconds(with99),
        baseline: milliseconds(alone99),
        ratio: ratio.toFixed(2),
        goal: `≤ ${mostRatio}`,
        isMet: ratio <= mostRatio,
      });
    }
    const failures = [...alone.failures, ...beside.failures];
    findings.add({
      id: 'V2',
      what: 'its calls that failed',
      figure: String(failures.length),
      baseline: '',
      ratio: '',
      goal: '0',
      isMet: failures.length === 0,
    });
    for (const failure of failures) console.log(failure);
  } finally {
    for (const step of closing.toReversed()) await step();
  }
  return findings.outcome();
};

const lockedSlug = 'locked';

/** Makes the link with a password that is guessed at. */
async function lockLink({ apiPort }: ProductAddress, key: string): Promise<void> {
  const { status } = await fetch(`http://127.0.0.1:${apiPort}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      slug: lockedSlug,
      destination: { type: 'link', value: 'https://example.com/' },
      password: 'secret',
    }),
  });
  if (status !== 201) throw new Error(`A link could not be made: ${status}`);
}
