import { makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import { count, spreadOf } from '#bench/lib/figures.ts';
import { interleave, type Run } from '#bench/lib/interleave.ts';
import { pauseFor } from '#bench/lib/lua.ts';
import { residentBytes } from '#bench/lib/machine.ts';
import type { Report } from '#bench/lib/report.ts';
import { manyConnections, type RedirectStage } from './stage.ts';

const ruledLinks = 2_000;
const rulesPerLink = 20;
const manyLinks = { links: 50_000, seconds: 30 };
const quickManyLinks = { links: 5_000, seconds: 10 };
const mostMegabytes = 250;
const neverReached = 1_000_000_000;
// wrk cannot pace: enough connections that pause at random add up to the rate. Answers take little of the time between, so the
// rate hardly depends on the server.
const paces = [
  { perSecond: 300, connections: 32 },
  { perSecond: 3_000, connections: 128 },
];
const mostDeviation = 0.1;
const quickDeviation = 0.5;

/** Measures requests per second: R1, R4 (one hot link), R7 (unknown slugs), R8 (rules), and R1 of another checkout's edge. */
export async function measureThroughput(stage: RedirectStage, report: Report): Promise<void> {
  const { slugs, options, database, visits } = stage;
  const [bare, edge] = [await stage.bare(), await stage.edge()];
  const targets = [bare, edge];
  const paths = { random: slugs };
  const runs: Run[] = [visits(bare, { paths, isChecked: false }), visits(edge, { paths })];
  const wants = { hot: options.wants('R4'), flood: options.wants('R7'), rules: options.wants('R8') };
  const floodMb: number[] = [];
  if (options.beside !== undefined) {
    const other = await stage.start('edge', { name: 'edge of the other', isMeasured: true, checkout: options.beside });
    targets.push(other);
    runs.push(visits(other, { paths }));
  }
  if (wants.hot) runs.push(visits(edge, { paths: { random: slugs.slice(0, 1) }, name: 'one hot link' }));
  if (wants.flood) {
    const check = async (): Promise<undefined> => void floodMb.push(Math.round(residentBytes(edge.pid) / 1e6));
    runs.push({ ...visits(edge, { paths: 'unknown', name: 'unknown slugs' }), isRefused: true, check });
  }
  if (wants.rules) {
    const ruled = numberedSlugs('r', ruledLinks);
    await makeLinks(database, ruled, () => ({ rules: rulesThatNeverMatch() }));
    runs.push(
      visits(edge, { paths: { random: slugs.slice(0, ruledLinks) }, name: 'links without rules' }),
      visits(edge, { paths: { random: ruled }, name: 'links with 20 rules' }),
    );
  }
  const measured = await interleave(runs, options.timing, options);
  await Promise.all(targets.map((target) => target.stop()));
  const of = (name: string) => measured.get(name)!;
  const [own, to] = [of(edge.name), of(bare.name)];
  report.baseline(to, 'perSecond');
  if (options.wants('R1')) {
    report.ratio({ id: 'R1', what: 'every click kept', of: own, to, wanted: 0.6 });
    report.time({ id: 'R1', what: 'p99 under full load', of: own, to, by: 'p99Ms', mostMs: 15 });
    if (options.beside !== undefined)
      report.ratio({ id: 'R1', what: `beside ${options.beside}`, of: own, to: of('edge of the other') });
  }
  if (wants.hot) report.ratio({ id: 'R4', what: 'one hot link', of: of('one hot link'), to, wanted: 0.6 });
  if (wants.flood) {
    const most = Math.max(...floodMb);
    addMemory(report, { id: 'R7', what: 'memory while unknown slugs are asked for', most, first: floodMb[0]! });
  }
  if (wants.rules) {
    const [ruled, plain] = [of('links with 20 rules'), of('links without rules')];
    report.ratio({ id: 'R8', what: '20 rules on each link', of: ruled, to: plain, wanted: 0.8 });
  }
}

/** Measures visits that take a connection each: R4. */
export async function measureClosing({ slugs, ...stage }: RedirectStage, report: Report): Promise<void> {
  const visits = { paths: { random: slugs }, isClosing: true };
  await compare(stage, report, { id: 'R4', what: 'a new connection each', visits, wanted: 0.5 });
}

/** Measures visits of one link with a cap, each of which the database has to grant: R5. */
export async function measureCaps(stage: Omit<RedirectStage, 'slugs'>, report: Report): Promise<void> {
  const slugs = numberedSlugs('k', 1);
  await makeLinks(stage.database, slugs, () => ({ maxClicks: neverReached }));
  const [visits, databaseUrl] = [{ paths: { random: slugs } }, stage.database.url];
  const what = 'a link with a cap, beside an UPDATE for each';
  await compare(stage, report, { id: 'R5', what, visits, databaseUrl, wanted: 4 });
}

interface Comparison {
  id: string;
  what: string;
  visits: Parameters<RedirectStage['visits']>[1];
  /** What the bare server updates. */
  databaseUrl?: string;
  wanted: number;
}

/** Measures an edge beside a bare server. */
async function compare(
  stage: Omit<RedirectStage, 'slugs'>,
  report: Report,
  { id, what, visits, databaseUrl, wanted }: Comparison,
): Promise<void> {
  const { options } = stage;
  const [bare, edge] = [await stage.bare(databaseUrl), await stage.edge()];
  const runs = [stage.visits(bare, { ...visits, isChecked: false }), stage.visits(edge, visits)];
  const measured = await interleave(runs, options.timing, options);
  await Promise.all([bare.stop(), edge.stop()]);
  const [to, of] = [bare, edge].map(({ name }) => measured.get(name)!);
  report.baseline(to!, 'perSecond');
  report.ratio({ id, what, of: of!, to: to!, wanted });
}

/** Measures latency below the limit of throughput: R3. */
export async function measurePaced(stage: RedirectStage, report: Report): Promise<void> {
  const { options, slugs, visits } = stage;
  const [bare, edge] = [await stage.bare(), await stage.edge()];
  // Fills the caches first.
  const once = { rounds: 1, seconds: 2, warmUpSeconds: 1 };
  await interleave([visits(edge, { paths: { inTurn: slugs } })], once, options);
  for (const { perSecond, connections } of paces) {
    const own = { paths: { random: slugs }, connections, pauseMs: pauseFor(perSecond, connections) };
    const runs = [visits(bare, { ...own, isChecked: false }), visits(edge, own)];
    const measured = await interleave(runs, options.timing, options);
    const [to, of] = [bare, edge].map(({ name }) => measured.get(name)!);
    for (const run of [to!, of!]) {
      const { median } = spreadOf(run.perSecond);
      if (Math.abs(median / perSecond - 1) > (options.isQuick ? quickDeviation : mostDeviation))
        run.mismatch ??= `the rate was ${count(median)}/s, not ${count(perSecond)}/s`;
    }
    // Of few requests, the slowest ones vary by chance.
    report.baseline(to!, 'p50Ms');
    const what = `p99 at ${count(perSecond)} requests a second`;
    report.time({ id: 'R3', what, of: of!, to: to!, by: 'p99Ms', mostMs: 3 });
  }
  await Promise.all([bare.stop(), edge.stop()]);
}

/** Measures the memory of an edge with a full cache of links: R8. */
export async function measureMemory(stage: RedirectStage, report: Report): Promise<void> {
  const { database, options, visits } = stage;
  const { links, seconds } = options.isQuick ? quickManyLinks : manyLinks;
  const slugs = numberedSlugs('m', links);
  await makeLinks(database, slugs);
  const edge = await stage.edge();
  const before = Math.round(residentBytes(edge.pid) / 1e6);
  const run = visits(edge, { paths: { inTurn: slugs }, connections: manyConnections });
  const measured = await interleave([run], { rounds: 1, seconds, warmUpSeconds: 1 }, options);
  const most = Math.round(residentBytes(edge.pid) / 1e6);
  await edge.stop();
  const { perSecond, mismatch } = measured.get(edge.name)!;
  const visited = perSecond[0]! * seconds;
  if (mismatch !== undefined || visited < links) {
    report.mismatch(mismatch ?? `only ${count(visited)} visits of ${count(links)} links were answered`);
    return report.add({ id: 'R8', what: 'memory', figure: 'no figure' });
  }
  addMemory(report, { id: 'R8', what: `memory with ${count(links)} links in it`, most, first: before });
}

function addMemory(
  report: Report,
  { id, what, most, first }: { id: string; what: string; most: number; first: number },
): void {
  const goal = `≤ ${mostMegabytes} MB`;
  report.add({ id, what, figure: `${most} MB`, beside: `${first} MB at first`, goal, isMet: most <= mostMegabytes });
}

/** Rules that are all evaluated and match no visitor. */
function rulesThatNeverMatch(): object[] {
  return Array.from({ length: rulesPerLink }, (_, index) => ({
    priority: index,
    osTypes: ['windows', 'macos', 'linux', 'ios', 'android', 'other'],
    languages: ['fi', 'sv', 'nb-NO', 'da'],
    destination: { type: 'link', value: `https://example.com/rule/${index}` },
  }));
}
