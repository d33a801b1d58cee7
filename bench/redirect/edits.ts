import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { linkTransaction } from '#commands/links/create.ts';
import { updateLinks } from '#commands/links/change/update.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { forgetClicks } from '#bench/lib/clicks.ts';
import { linkHost, site } from '#bench/lib/database.ts';
import { milliseconds, percentile } from '#bench/lib/figures.ts';
import type { Findings } from '#bench/lib/findings.ts';
import { visitScript } from '#bench/lib/lua.ts';
import { wrk } from '#bench/lib/wrk.ts';
import type { Target } from '#bench/lib/stage.ts';
import type { RedirectStage } from './stage.ts';

const edits = 200;
const quickEdits = 20;
const gapMs = 30;
const pollMs = 1;
const lateMs = 5_000;
const mostMs = 1_000;

/** Measures how long a busy edge answers with the previous state of an edited link: R7. */
export async function measureEdits(stage: RedirectStage, findings: Findings): Promise<void> {
  console.log('R7: an edit becomes visible on two edges, one of them under load');
  const { database, slugs, ids, options } = stage;
  const em = createEntityManager(database.db);
  const edges = [await stage.edge(), await stage.edge()];
  const count = options.isQuick ? quickEdits : edits;
  const script = visitScript({ host: linkHost, paths: { random: slugs }, pauseMs: 10 });
  const over = new AbortController();
  const load = (async () => {
    while (!over.signal.aborted) await wrk({ url: edges[0]!.url, script, connections: 16 }, 1, options.folder);
  })();
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  try {
    for (let edit = 0; edit < count; edit += 1) {
      options.signal.throwIfAborted();
      const slug = slugs[edit]!;
      const location = `https://example.com/edited/${edit}`;
      await Promise.all(edges.map((edge) => ask(agent, edge, slug)));
      const { destination } = createLinkSchema.parse({ destination: { type: 'link', value: location } });
      const [result] = await em.transactional(
        (em) =>
          updateLinks(em, database.actor, [{ id: ids.get(slug)!, patch: { destination } }], {
            site,
            now: new Date(),
          }),
        linkTransaction,
      );
      if (!result!.ok) throw result!.error;
      const committedAt = performance.now();
      const seenAt = await Promise.all(edges.map((edge) => untilSeen(agent, edge, slug, location)));
      times.push(...seenAt.map((at) => at - committedAt));
      await sleep(gapMs);
    }
  } finally {
    over.abort();
    await load;
    agent.destroy();
    await Promise.all(edges.map((edge) => edge.stop()));
  }
  await forgetClicks(database.db);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  findings.add({
    id: 'R7',
    what: `an edit is visible, p99 of ${times.length}`,
    figure: milliseconds(p99),
    baseline: `median ${milliseconds(p50)}`,
    ratio: '',
    goal: `≤ ${mostMs} ms`,
    isMet: p99 <= mostMs,
  });
}

/** When an edge first redirects there (performance.now). @throws Error when it takes too long. */
async function untilSeen(agent: Agent, edge: Target, slug: string, location: string): Promise<number> {
  const deadline = performance.now() + lateMs;
  while ((await ask(agent, edge, slug)) !== location) {
    if (performance.now() > deadline) throw new Error(`${edge.name} does not see an edit after ${lateMs} ms`);
    await sleep(pollMs);
  }
  return performance.now();
}

/** A link's current Location; HEAD does not count as a click. */
function ask(agent: Agent, { url }: Target, slug: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/${slug}`, { agent, method: 'HEAD', headers: { host: linkHost } }, (response) => {
      response.resume().on('end', () => resolve(response.headers.location));
    });
    outgoing.on('error', reject).end();
  });
}
