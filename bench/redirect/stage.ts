import type { BenchOptions } from '#bench/lib/bench.ts';
import { checkClicks } from '#bench/lib/clicks.ts';
import { linkHost, makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import type { Run } from '#bench/lib/interleave.ts';
import { type Visits, visitScript } from '#bench/lib/lua.ts';
import { createStage, type Stage, type Target } from '#bench/lib/stage.ts';

/** Links and servers for redirects. */
export interface RedirectStage extends Omit<Stage, typeof Symbol.asyncDispose> {
  /** Slugs of links without anything special. */
  slugs: readonly string[];
  /** Ids of links by their slugs. */
  ids: ReadonlyMap<string, string>;
  /** Fastify with one route that answers a constant redirect, after one UPDATE in the database where that is given. */
  bare(databaseUrl?: string): Promise<Target>;
  /** An edge as `npm start` runs it. */
  edge(): Promise<Target>;
  /** Listeners to PostgreSQL's log. */
  postgresListeners: Set<(line: string) => void>;
  /** Visitors of an edge, whose 302s are compared with the clicks in the database unless `isChecked` is false. */
  visits(target: Target, visits: VisitRun): Run;
}

interface VisitRun extends Omit<Visits, 'host'> {
  name?: string;
  connections?: number;
  isChecked?: boolean;
}

/** Connections that visits come on at once. */
export const manyConnections = 64;
const spreadLinks = 10_000;

/** Runs `work` on a stage with links. */
export async function onRedirectStage(
  options: BenchOptions,
  work: (stage: RedirectStage) => Promise<void>,
): Promise<void> {
  const postgresListeners = new Set<(line: string) => void>();
  await using stage = await createStage(options, {
    hasTemporal: false,
    onPostgresLine: (line) => postgresListeners.forEach((listener) => listener(line)),
  });
  const { database } = stage;
  const slugs = numberedSlugs('a', spreadLinks);
  await work({
    ...stage,
    slugs,
    ids: await makeLinks(database, slugs),
    bare: (databaseUrl) =>
      stage.start('bench/bare-fastify.ts', {
        name: 'bare Fastify',
        env: { DATABASE_URL: databaseUrl },
        isMeasured: true,
      }),
    edge: () => stage.start('edge', { isMeasured: true }),
    postgresListeners,
    visits: ({ url, name: of }, { name = of, connections = manyConnections, isChecked = true, ...visits }) => ({
      name,
      load: { url, connections, script: visitScript({ host: linkHost, ...visits }), goesFirst: true },
      check: isChecked ? (seen) => checkClicks(database.db, url, seen, connections) : undefined,
    }),
  });
}
