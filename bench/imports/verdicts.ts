import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db/connection/database.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createFakeWebRisk } from '#test/support/fake-web-risk.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { count, milliseconds, percentile } from '#bench/lib/figures.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { useEveryCore } from '#bench/lib/machine.ts';
import { createStage } from '#bench/lib/stage.ts';
import { nextUrl, sendFile } from './file.ts';

const rows = 50_000;
const quickRows = 2_000;
const organizations = 4;
const createsOfEach = 40;
const quickCreatesOfEach = 5;
const pauseMs = 500;
const mostMs = 2_000;
const pollMs = 20;

/** Measures how long new links of other organizations wait for their verdicts beside an import, with Web Risk's look-ups: M2. */
export const bench: Bench = async (options) => {
  const { signal, isQuick } = options;
  const findings = createFindings();
  useEveryCore();
  await using webRisk = await createFakeWebRisk();
  await using stage = await createStage(options, {
    settings: { WEB_RISK_ENDPOINT: webRisk.url, THREAT_SCANS_PER_DAY: '1000000' },
  });
  const { db } = stage.database;
  const { url: address } = await stage.start('API', 'server.ts', { env: { SERVE: 'api' } });
  await stage.start('worker', 'worker.ts');
  const others = await Promise.all(Array.from({ length: organizations }, () => createOrganization(db)));
  const creates = isQuick ? quickCreatesOfEach : createsOfEach;
  const measure = async (): Promise<number[]> => {
    const times = await Promise.all(
      others.map(async ({ key }) => {
        const own: number[] = [];
        for (let made = 0; made < creates; made += 1) {
          signal.throwIfAborted();
          own.push(await timeVerdict(db, address, key));
          await sleep(pauseMs);
        }
        return own;
      }),
    );
    return times.flat();
  };
  // Not measured: compilation and query plans.
  await measure();
  const alone = await measure();
  const importer = await createOrganization(db);
  const size = isQuick ? quickRows : rows;
  await sendFile(address, importer.key, size);
  const beside = await measure();
  const { rows: left } = await db.query<{ imported: number; waiting: number }>(
    `select (select imported from imports where organization_id = $1) as imported,
       (select count(*) from threat_verdicts where due_at is not null) as waiting`,
    [importer.id],
  );
  const { imported, waiting } = left[0]!;
  console.log(
    `  ${count(imported)} of ${count(size)} rows are links, ${count(waiting)} addresses wait for their verdicts`,
  );
  const longest = Math.max(...beside);
  findings.add({
    id: 'M2',
    what: `from a create to its verdict, beside an import of ${count(size)} rows: longest`,
    figure: `${milliseconds(longest)}; p50 ${milliseconds(percentile(beside, 0.5))}`,
    baseline: `${milliseconds(Math.max(...alone))}; p50 ${milliseconds(percentile(alone, 0.5))}`,
    ratio: '',
    goal: `≤ ${mostMs} ms`,
    isMet: longest <= mostMs,
  });
  return findings.outcome();
};

/** Makes a link. @returns how long after the begin of the call its verdict is stored, in milliseconds. */
async function timeVerdict(db: Database, address: string, key: string): Promise<number> {
  const url = nextUrl();
  const startedAtMs = performance.now();
  const { status } = await fetch(`${address}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ destination: { type: 'link', value: url } }),
  });
  if (status !== 201) throw new Error(`A create answered ${status}`);
  for (;;) {
    const { rowCount } = await db.query(
      'select from threat_verdicts where url_hash = hash_of_url($1) and expires_at is not null',
      [url],
    );
    if (rowCount === 1) return performance.now() - startedAtMs;
    await sleep(pollMs);
  }
}
