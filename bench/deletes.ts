import { setTimeout as sleep } from 'node:timers/promises';
import { deleteDomain } from '#commands/domains/domains.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createDomain } from '#test/support/factories.ts';
import type { Bench } from '#bench/lib/bench.ts';
import { linkHost, makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import { count, describeRatio, milliseconds, spreadOf } from '#bench/lib/figures.ts';
import { benchLinks, fillWithClicks, fillWithLinks } from '#bench/lib/fill.ts';
import { pauseFor, visitScript } from '#bench/lib/lua.ts';
import { createStage } from '#bench/lib/stage.ts';
import { wrk } from '#bench/lib/wrk.ts';

const size = { links: 100_000, clicks: 1_000_000 };
const quickSize = { links: 500, clicks: 5_000 };
const visitedLinks = 10_000;
const connections = 32;
const perSecond = 300;
const mostCallMs = 5_000;
const mostSeconds = 300;
const mostRatio = 2;
const deadlineMs = 900_000;
const pollMs = 1_000;

/** Measures redirects while a domain with a hundred thousand links and a million clicks is deleted and removed: D1. */
export const bench: Bench = async (options, report) => {
  const { folder, signal, timing, isQuick } = options;
  await using stage = await createStage(options);
  const { database } = stage;
  const { db, actor } = database;
  const slugs = numberedSlugs('v', visitedLinks);
  await makeLinks(database, slugs);
  // Their scans are no part of it.
  await db.query('truncate outbox');
  const { links, clicks } = isQuick ? quickSize : size;
  const { organizationId } = actor;
  const { id: domainId } = await createDomain(db, organizationId, { domain: 'gone.example' });
  await fillWithLinks(db, { organizationId, domainId, links, prefix: 'gone-' });
  await db.query(benchLinks);
  await db.query(
    `insert into bench_links select 0, row_number() over () - 1, id, organization_id, domain_id, folder_id, '{}', ${clicks}
     from short_links where domain_id = $1`,
    [domainId],
  );
  const linkOf = `b.owner = 0 and b.number = (n * 7919) % ${links}`;
  await fillWithClicks(db, { clicks, endMs: Date.now(), linkOf }, signal);

  await stage.start('worker');
  const edge = await stage.start('edge', { isMeasured: true });
  const pauseMs = pauseFor(perSecond, connections);
  const script = visitScript({ host: linkHost, paths: { random: slugs }, pauseMs });
  /** @returns p99 in milliseconds. */
  const visit = async (seconds: number): Promise<number> => {
    signal.throwIfAborted();
    const { failures, faults, p99Ms } = await wrk({ url: edge.url, script, connections }, seconds, folder);
    if (failures + faults > 0) throw new Error(`${failures} answers and ${faults} connections failed`);
    console.log(`  p99 ${milliseconds(p99Ms)}`);
    return p99Ms;
  };
  await visit(timing.warmUpSeconds);
  const before: number[] = [];
  for (let round = 0; round < timing.rounds; round += 1) before.push(await visit(timing.seconds));

  const startedAtMs = performance.now();
  const removed = new AbortController();
  const remove = async (): Promise<number> => {
    // In the middle of the first round.
    await sleep((timing.seconds * 1_000) / 2);
    const calledAtMs = performance.now();
    await createEntityManager(db).transactional((em) => deleteDomain(em, actor, domainId, { now: new Date() }));
    const tookMs = performance.now() - calledAtMs;
    while ((await db.query('select from purges')).rowCount !== 0) {
      if (performance.now() - startedAtMs > deadlineMs) throw new Error('the domain is not removed in time');
      await sleep(pollMs);
    }
    return tookMs;
  };
  const removal = remove().finally(() => removed.abort());
  const during: number[] = [];
  const watch = async (): Promise<void> => {
    while (!removed.signal.aborted) during.push(await visit(timing.seconds));
  };
  const [callMs] = await Promise.all([removal, watch()]);
  const tookMs = performance.now() - startedAtMs;

  const { rows } = await db.query<{ left: number; told: number }>(
    `select (select count(*) from short_links where domain_id = $1) + (select count(*) from clicks where domain_id = $1)
       + (select count(*) from domains where id = $1) as "left",
       (select count(*) from events where type = 'link.deleted') as told`,
    [domainId],
  );
  if (rows[0]!.left > 0) report.mismatch(`D1: ${rows[0]!.left} rows of the domain are left`);
  if (rows[0]!.told !== links) report.mismatch(`D1: ${rows[0]!.told} of ${links} links have an event`);

  // Each round during the removal is compared with all rounds before it: their numbers differ.
  const usual = spreadOf(before).median;
  const ratio = spreadOf(during.map((ms) => ms / usual));
  report.add({
    id: 'D1',
    what: `p99 at ${perSecond} redirects a second while it is removed`,
    figure: milliseconds(spreadOf(during).median),
    beside: milliseconds(usual),
    ratio: describeRatio(ratio),
    goal: `≤ ${mostRatio}`,
    isMet: ratio.median <= mostRatio,
  });
  report.most({ id: 'D1', what: `the call for ${count(links)} links`, ms: callMs, mostMs: mostCallMs });
  const seconds = tookMs / 1_000;
  const gone = { figure: `${count(seconds)} s`, goal: `≤ ${mostSeconds} s`, isMet: seconds <= mostSeconds };
  report.add({ id: 'D1', what: `until all is removed, ${count(clicks)} clicks`, ...gone });
};
