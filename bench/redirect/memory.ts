import { checkClicks } from '#bench/lib/clicks.ts';
import { linkHost, makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import { count } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { visitScript } from '#bench/lib/lua.ts';
import { residentBytes } from '#bench/lib/machine.ts';
import { wrk } from '#bench/lib/wrk.ts';
import type { RedirectStage } from './stage.ts';
import { manyConnections } from './visits.ts';

const links = 50_000;
const seconds = 30;
const mostMegabytes = 250;

/** Measures the memory of an edge with a full cache of links: R8. */
export async function measureMemory(stage: RedirectStage, findings: Findings): Promise<void> {
  console.log(`R8: memory with ${count(links)} links in it`);
  const { database, options } = stage;
  const slugs = numberedSlugs('m', links);
  await makeLinks(database, slugs);
  const edge = await stage.edge();
  const before = residentBytes(edge.pid);
  const script = visitScript({ host: linkHost, paths: { inTurn: slugs } });
  const load = { url: edge.url, connections: manyConnections, script };
  const seen = await wrk(load, seconds, options.folder);
  const after = residentBytes(edge.pid);
  const short = seen.requests < links ? `only ${count(seen.requests)} visits were answered` : undefined;
  const mismatch = short ?? (await checkClicks(database.db, edge.url, seen, manyConnections));
  if (mismatch !== undefined) console.log(`  ${mismatch}`);
  await edge.stop();
  const [first, most] = [before, after].map((bytes) => Math.round(bytes / 1e6));
  findings.add({
    id: 'R8',
    what: `memory with ${count(links)} links in it`,
    figure: mismatch === undefined ? `${most} MB` : 'no figure',
    baseline: `${first} MB before`,
    ratio: '',
    goal: `≤ ${mostMegabytes} MB`,
    isMet: mismatch === undefined ? most! <= mostMegabytes : null,
  });
}
