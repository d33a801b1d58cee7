import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSealing } from '#adapters/sealing.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { createOrganization } from '#test/support/factories.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { linkHost, makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import { count, milliseconds, percentile, spreadOf } from '#bench/lib/figures.ts';
import { pauseFor, visitScript } from '#bench/lib/lua.ts';
import type { Report } from '#bench/lib/report.ts';
import { createStage, type Stage } from '#bench/lib/stage.ts';
import { wrk } from '#bench/lib/wrk.ts';
import { createHooks, type Hooks } from './hooks.ts';

const sizes = [
  { endpoints: 1, rows: 16_000 },
  { endpoints: 20, rows: 1_000 },
  { endpoints: 100, rows: 800 },
] as const;
const quickShare = 0.05;
const wantedPerSecond = 2_000;
const wellEndpoints = 98;
const eventsPerSecond = 5;
const settleMs = 1_000;
const busyEndpoints = 200;
const busyRows = 2_000;
const mostDelayMs = 1_000;
const mostBesideMs = 1_500;
const links = 1_000;
const clicksPerSecond = 2_000;
const connections = 128;
const mostFromClickMs = 1_000;

/** Measures webhooks: W1 and W2. The worker has a core of its own; receiver, PostgreSQL and Temporal share the others. */
export const bench: Bench = async (options, report) => {
  await using stage = await createStage(options);
  const { database, secretKey } = stage;
  const slugs = numberedSlugs('w', links);
  await makeLinks(database, slugs);
  await database.db.query('truncate outbox');
  const [authority, path] = [createAuthority('Waymark bench root'), (name: string) => join(options.folder, name)];
  const { cert, key } = authority.issue(['127.0.0.1']);
  const files = { 'ca.pem': authority.cert, 'cert.pem': cert, 'key.pem': key };
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text, { mode: 0o600 });
  const tls = { TLS_CERT: path('cert.pem'), TLS_KEY: path('key.pem') };
  const receiver = await stage.start('bench/webhooks/receiver.ts', { env: tls });
  const env = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', WEBHOOK_CA_FILE: path('ca.pem') };
  await stage.start('worker', { env, isMeasured: true });
  const origin = `https://${new URL(receiver.url).host}`;
  const made = { origin, sealing: createSealing([secretKey]), signal: options.signal };
  const hooks = createHooks(database, made);
  if (options.wants('W1')) {
    await measureThroughput(stage, hooks, report);
    await measureSlowness(stage, hooks, report);
    await measureClicks(stage, hooks, report, slugs);
  }
  if (options.wants('W2')) {
    const { id: organizationId } = await createOrganization(database.db);
    await measureNeighbour(stage, hooks, createHooks(database, { ...made, organizationId }), report);
  }
};

/** Measures deliveries to one endpoint of an organization, alone and while 200 webhooks of another one are busy. */
async function measureNeighbour({ options }: Stage, busy: Hooks, hooks: Hooks, report: Report): Promise<void> {
  const { rounds, seconds } = options.timing;
  const p99 = async (): Promise<number> => {
    const own = await hooks.make('ok', 1);
    const startedAt = performance.now();
    while (performance.now() - startedAt < seconds * 1_000) {
      await hooks.emit(1);
      await hooks.drained(own);
      // The next event finds a pump that has ended, or one that waits.
      await sleep(Math.random() * settleMs * 2, undefined, { signal: options.signal });
    }
    const lags = await hooks.lags(own);
    await hooks.end(own);
    return percentile(lags, 0.99);
  };
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const without = await p99();
    const many = await busy.make('ok', options.isQuick ? busyEndpoints * quickShare : busyEndpoints);
    await busy.fill(many, options.isQuick ? busyRows * quickShare : busyRows);
    await busy.wake(many);
    const withBusy = await p99();
    await busy.end(many);
    console.log(`  p99 ${milliseconds(without)} alone, ${milliseconds(withBusy)} beside ${many.length} busy webhooks`);
    if (round === 0) continue;
    alone.push(without);
    beside.push(withBusy);
  }
  const delay = spreadOf(beside).median - spreadOf(alone).median;
  const what = `delay of a delivery, p99, by ${busyEndpoints} busy webhooks of another organization`;
  report.most({ id: 'W2', what, ms: delay, mostMs: mostDelayMs, beside: milliseconds(spreadOf(alone).median) });
}

/** Measures deliveries a second, each attempt recorded. */
async function measureThroughput({ options }: Stage, hooks: Hooks, report: Report): Promise<void> {
  for (const { endpoints, rows: full } of sizes) {
    const rows = options.isQuick ? Math.max(20, full * quickShare) : full;
    const what = `${endpoints} endpoints, ${count(rows)} deliveries each`;
    const ids = await hooks.make('ok', endpoints);
    const total = rows * endpoints;
    const rates: number[] = [];
    // The first round warms up.
    for (let round = 0; round <= options.timing.rounds; round += 1) {
      await hooks.asleep(ids);
      await hooks.fill(ids, rows);
      const startedAt = performance.now();
      await hooks.wake(ids);
      await hooks.drained(ids);
      const perSecond = (total / (performance.now() - startedAt)) * 1_000;
      const delivered = await hooks.delivered(ids);
      if (delivered !== total) report.mismatch(`W1: ${delivered} of ${total} were delivered once`);
      await hooks.empty();
      console.log(`  ${what}: ${count(perSecond)}/s`);
      if (round > 0) rates.push(perSecond);
    }
    await hooks.clear();
    report.rate({ id: 'W1', what, rates, wanted: wantedPerSecond });
  }
}

/** Measures deliveries to 98 endpoints, alone and beside one that hangs and one that answers 500. */
async function measureSlowness({ options }: Stage, hooks: Hooks, report: Report): Promise<void> {
  const { rounds, seconds } = options.timing;
  const well = await hooks.make('ok', wellEndpoints);
  const p99 = async (): Promise<number> => {
    const startedAt = performance.now();
    for (let index = 0; index < seconds * eventsPerSecond; index += 1) {
      await hooks.emit(1);
      const dueMs = startedAt + ((index + 1) * 1_000) / eventsPerSecond - performance.now();
      await sleep(Math.max(0, dueMs), undefined, { signal: options.signal });
    }
    await hooks.drained(well);
    const lags = await hooks.lags(well);
    await hooks.empty();
    return percentile(lags, 0.99);
  };
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    // Wakes the workflows: waking a hundred idle ones at a time takes Temporal seconds.
    await p99();
    const without = await p99();
    const dead = [...(await hooks.make('hang', 1)), ...(await hooks.make('fail', 1))];
    const withDead = await p99();
    await hooks.end(dead);
    await sleep(settleMs);
    console.log(`  p99 ${milliseconds(without)} without, ${milliseconds(withDead)} with dead ones`);
    if (round === 0) continue;
    alone.push(without);
    beside.push(withDead);
  }
  await hooks.clear();
  const what = `p99 from event to answer of ${wellEndpoints} endpoints, one hanging and one failing beside them`;
  const [{ median: ms }, { median: aloneMs }] = [spreadOf(beside), spreadOf(alone)];
  report.most({ id: 'W1', what, ms, mostMs: mostBesideMs, beside: milliseconds(aloneMs) });
}

/** Measures the time from a click to its delivery, at 2,000 clicks a second of one organization with one endpoint. */
async function measureClicks(stage: Stage, hooks: Hooks, report: Report, slugs: readonly string[]): Promise<void> {
  const { timing, folder } = stage.options;
  const ids = await hooks.make('ok', 1, ['link.clicked']);
  const edge = await stage.start('edge');
  const pauseMs = pauseFor(clicksPerSecond, connections);
  const script = visitScript({ host: linkHost, paths: { random: slugs }, pauseMs });
  const [p99s, rates]: [number[], number[]] = [[], []];
  for (let round = 0; round <= timing.rounds; round += 1) {
    const seen = await wrk({ url: edge.url, connections, script }, timing.seconds, folder);
    await hooks.drained(ids);
    const lags = await hooks.lags(ids);
    await hooks.empty();
    const p99 = percentile(lags, 0.99);
    console.log(`  ${count(seen.perSecond)} clicks/s, ${count(lags.length)} delivered; p99 ${milliseconds(p99)}`);
    if (round === 0) continue;
    p99s.push(p99);
    rates.push(seen.perSecond);
  }
  await hooks.clear();
  const what = `p99 from click to answer at ${count(spreadOf(rates).median)} clicks a second`;
  report.most({ id: 'W1', what, ms: spreadOf(p99s).median, mostMs: mostFromClickMs });
}
