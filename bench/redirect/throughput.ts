import { makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { interleave, type Run } from '#bench/lib/interleave.ts';
import { residentBytes } from '#bench/lib/machine.ts';
import type { RedirectStage } from './stage.ts';
import { visitRun } from './visits.ts';

const ruledLinks = 2_000;
const rulesPerLink = 20;
const mostP99Ms = 15;
const mostMegabytes = 250;

/** Measures requests per second: R1, R4 (one hot link), R7 (unknown slugs), R8 (rules). */
export async function measureThroughput(
  stage: RedirectStage,
  findings: Findings,
  goals: readonly string[],
): Promise<void> {
  const { slugs, options, database } = stage;
  console.log(`${goals.join(', ')}: as many requests as are answered`);
  const bare = await stage.bare();
  const edge = await stage.edge();
  const paths = { random: slugs };
  const runs: Run[] = [
    visitRun(stage, { target: bare, paths }),
    visitRun(stage, { target: edge, paths, isChecked: true }),
  ];
  const targets = [bare, edge];
  const floodBytes: number[] = [];
  if (goals.includes('R4')) {
    const hot = { random: slugs.slice(0, 1) };
    runs.push(visitRun(stage, { target: edge, paths: hot, isChecked: true, name: 'one hot link' }));
  }
  if (goals.includes('R7')) {
    const flood = visitRun(stage, { target: edge, paths: 'unknown', name: 'unknown slugs' });
    const check = async (): Promise<undefined> => void floodBytes.push(residentBytes(edge.pid));
    runs.push({ ...flood, isRefused: true, check });
  }
  if (goals.includes('R8')) {
    const ruled = numberedSlugs('r', ruledLinks);
    await makeLinks(database, ruled, () => ({ rules: rulesThatNeverMatch() }));
    const plain = { random: slugs.slice(0, ruledLinks) };
    runs.push(
      visitRun(stage, { target: edge, paths: plain, isChecked: true, name: 'links without rules' }),
      visitRun(stage, { target: edge, paths: { random: ruled }, isChecked: true, name: 'links with 20 rules' }),
    );
  }

  const measured = await interleave(runs, options.timing, options);
  const of = (name: string) => measured.get(name)!;
  const by = 'perSecond';
  findings.baseline(of(bare.name), by);
  if (goals.includes('R1')) {
    findings.ratio({ id: 'R1', what: 'every click kept', of: of(edge.name), to: of(bare.name), by, wanted: 0.6 });
    const what = 'p99 under full load';
    findings.time({ id: 'R1', what, of: of(edge.name), to: of(bare.name), by: 'p99Ms', mostMs: mostP99Ms });
  }
  if (goals.includes('R4')) {
    findings.ratio({ id: 'R4', what: 'one hot link', of: of('one hot link'), to: of(bare.name), by, wanted: 0.6 });
  }
  if (goals.includes('R7')) {
    const [first, most] = [floodBytes[0]!, Math.max(...floodBytes)].map((bytes) => Math.round(bytes / 1e6));
    findings.add({
      id: 'R7',
      what: 'memory while unknown slugs are asked for',
      figure: `${most} MB at most`,
      baseline: `${first} MB after the first of them`,
      ratio: '',
      goal: `≤ ${mostMegabytes} MB`,
      isMet: most! <= mostMegabytes,
    });
  }
  if (goals.includes('R8')) {
    const [ruled, plain] = [of('links with 20 rules'), of('links without rules')];
    findings.ratio({ id: 'R8', what: '20 rules on each link', of: ruled, to: plain, by, wanted: 0.8 });
  }
  await Promise.all(targets.map((target) => target.stop()));
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
