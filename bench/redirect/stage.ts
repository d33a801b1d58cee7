import { makeLinks, numberedSlugs } from '#bench/lib/database.ts';
import type { BenchOptions } from '#bench/lib/bench.ts';
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
}

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
  const slugs = numberedSlugs('a', spreadLinks);
  await work({
    ...stage,
    slugs,
    ids: await makeLinks(stage.database, slugs),
    bare: (databaseUrl) =>
      stage.start('bare Fastify', 'bench/bare-fastify.ts', {
        env: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
        isMeasured: true,
      }),
    edge: () => stage.start('edge', 'server.ts', { env: { SERVE: 'edge' }, isMeasured: true }),
    postgresListeners,
  });
}
