import { setTimeout as sleep } from 'node:timers/promises';
import { deleteDomain } from '#commands/domains/domains.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { linkHost, makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import { count, describeRatio, milliseconds, ratioOf, spreadOf } from '#bench/lib/figures.ts';
import { createFindings } from '#bench/lib/findings.ts';
import { visitScript } from '#bench/lib/lua.ts';
import { createStage } from '#bench/lib/stage.ts';
import { type Seen, wrk } from '#bench/lib/wrk.ts';
import { fillDomain } from './fill.ts';

const links = 100_000;
const clicks = 1_000_000;
const quickShare = 0.05;
const visitedLinks = 10_000;
const connections = 32;
const perSecond = 300;
// A pause is at least this much longer than asked for: timers of wrk go by the millisecond.
const timerMs = 0.5;
const mostCallMs = 5_000;
const mostSeconds = 300;
const mostRatio = 2;
const doneDeadlineMs = 900_000;
const pollMs = 1_000;

/** Measures redirects while a domain with a hundred thousand links and a million clicks is deleted and removed: D1. */
export const bench: Bench = async (options) => {
  const { folder, signal, timing, isQuick } = options;
  const findings = createFindings();
  await using stage = await createStage(options);
  const { database } = stage;
  const { db, actor } = database;
  const slugs = numberedSlugs('v', visitedLinks);
  await makeLinks(database, slugs);
  const size = { links: links * (isQuick ? quickShare : 1), clicks: clicks * (isQuick ? quickShare : 1) };
  console.log(`  making ${count(size.links)} links and ${count(size.clicks)} clicks`);
  const domainId = await fillDomain(database, size);

  await stage.start('worker', 'worker.ts');
  const edge = await stage.start('edge', 'server.ts', { env: { SERVE: 'edge' }, isMeasured: true });
  const load = {
    url: edge.url,
    script: visitScript({
      host: linkHost,
      paths: { random: slugs },
      pauseMs: (connections * 1_000) / perSecond - timerMs,
    }),
    connections,
  };
  const visit = async (seconds: number): Promise<Seen> => {
    signal.throwIfAborted();
    const seen = await wrk(load, seconds, folder);
    if (seen.failures + seen.faults > 0)
      throw new Error(`${seen.failures} answers and ${seen.faults} connections failed`);
    console.log(`  p50 ${seen.p50Ms.toFixed(2)}, p99 ${seen.p99Ms.toFixed(2)} ms at ${count(seen.perSecond)}/s`);
    return seen;
  };
  await visit(timing.warmUpSeconds);
  const before: number[] = [];
  for (let round = 0; round < timing.rounds; round += 1) before.push((await visit(timing.seconds)).p99Ms);

  const startedAtMs = performance.now();
  // The delete is called in the middle of the first round.
  const call = sleep((timing.seconds * 1_000) / 2).then(async () => {
    const calledAtMs = performance.now();
    await createEntityManager(db).transactional((em) => deleteDomain(em, actor, domainId, { now: new Date() }));
    return performance.now() - calledAtMs;
  });
  const during: number[] = [];
  const done = new AbortController();
  const removed = call.then(async () => {
    while (performance.now() - startedAtMs < doneDeadlineMs) {
      const { rowCount } = await db.query('select from purges');
      if (rowCount === 0) return;
      await sleep(pollMs);
    }
    throw new Error('the domain is not removed in time');
  });
  void removed.then(
    () => done.abort(),
    () => done.abort(),
  );
  while (!done.signal.aborted) during.push((await visit(timing.seconds)).p99Ms);
  const callMs = await call;
  await removed;
  const tookMs = performance.now() - startedAtMs;

  const [{ left }] = (
    await db.query<{ left: number }>(
      `select (select count(*) from short_links where domain_id = $1) + (select count(*) from clicks where domain_id = $1)
         + (select count(*) from domains where id = $1) as "left"`,
      [domainId],
    )
  ).rows as [{ left: number }];
  if (left > 0) throw new Error(`${left} rows of the domain are left`);
  const told = await db.query(`select from events where type = 'link.deleted'`);
  if (told.rowCount !== size.links) throw new Error(`${told.rowCount} of ${size.links} links have an event`);

  // Each round during the removal is compared with all rounds before it: their numbers differ.
  const usual = spreadOf(before).median;
  const ratio = ratioOf(
    during,
    during.map(() => usual),
  );
  const none = { baseline: '', ratio: '' };
  findings.add({
    id: 'D1',
    what: `p99 at ${perSecond} redirects a second while it is removed`,
    figure: milliseconds(spreadOf(during).median),
    baseline: milliseconds(usual),
    ratio: describeRatio(ratio),
    goal: `≤ ${mostRatio}`,
    isMet: ratio.median <= mostRatio,
  });
  findings.add({
    id: 'D1',
    what: `the call for ${count(size.links)} links`,
    figure: milliseconds(callMs),
    goal: `≤ ${milliseconds(mostCallMs)}`,
    isMet: callMs <= mostCallMs,
    ...none,
  });
  findings.add({
    id: 'D1',
    what: `until all is removed, ${count(size.clicks)} clicks`,
    figure: `${count(tookMs / 1_000)} s`,
    goal: `≤ ${mostSeconds} s`,
    isMet: tookMs <= mostSeconds * 1_000,
    ...none,
  });
  return findings.outcome();
};
