import { orThrow } from '#core/errors/errors.ts';
import { ensureDemo } from '#commands/organizations/demo.ts';
import { createLinks, linkTransaction } from '#commands/links/create/create.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { ensurePlatformDomain } from '#db/domains/platform.ts';
import type { Actor } from '#core/audit/actor.ts';
import { createApiKey } from '#core/organizations/api-key.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { createSite } from '#core/links/site.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { migrate } from '#db/migrations/migrate.ts';
import type { EmbeddedPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { startPostgresOnFreePort } from '#test/support/postgres.ts';

/** Domain of all links of a benchmark. */
export const linkHost = 'bench.example';

/** Where its links are served. */
export const site = createSite({ scheme: 'https', platformDomain: linkHost });

/** A migrated database with one organization on premium. */
export interface BenchDatabase {
  url: string;
  db: Database;
  /** An actor with every permission. */
  actor: Actor;
  /** An API key with every permission. */
  apiKey: string;
}

/** Starts PostgreSQL with its data in `folder`, as `npm start` runs it. */
export function startBenchPostgres(
  folder: string,
  onLine: (line: string) => void = (line) => console.error(`postgres | ${line}`),
): Promise<EmbeddedPostgres> {
  return startPostgresOnFreePort({ dataDir: folder, onLine });
}

/** Migrates the database under `url` and makes an organization. */
export async function prepareDatabase(url: string): Promise<BenchDatabase> {
  await migrate(url);
  const apiKey = createApiKey();
  await ensureDemo(url, { apiKey, adminEmail: 'bench@bench.example', adminPassword: createApiKey() });
  const db = createDatabase({ url, applicationName: 'waymark bench' });
  await ensurePlatformDomain(db, linkHost);
  const { rows } = await db.query<Pick<Actor, 'organizationId' | 'userId' | 'permissions'>>(
    'select organization_id as "organizationId", user_id as "userId", permissions from api_keys',
  );
  return { url, db, apiKey, actor: { ...rows[0]!, plan: 'premium' } };
}

const linksPerCall = 500;

/** Creates links by the command that the API calls. @param draft body of the create of link `n`. */
export async function makeLinks(
  { db, actor }: BenchDatabase,
  slugs: readonly string[],
  draft: (slug: string) => object = () => ({}),
): Promise<Map<string, string>> {
  const em = createEntityManager(db);
  const ids = new Map<string, string>();
  for (let from = 0; from < slugs.length; from += linksPerCall) {
    const part = slugs.slice(from, from + linksPerCall);
    const requests = part.map((slug) => ({
      actor,
      draft: createLinkSchema.parse({
        slug,
        destination: { type: 'link', value: `https://example.com/to/${slug}` },
        ...draft(slug),
      }),
    }));
    const results = await em.transactional(
      (em) => createLinks(em, requests, { site, now: new Date() }),
      linkTransaction,
    );
    for (const [index, result] of results.entries()) {
      ids.set(part[index]!, orThrow(result).id);
    }
  }
  await db.query('vacuum analyze');
  return ids;
}

/** Removes all links, their child rows, and the rows that wait for a worker. */
export async function emptyLinks({ db }: BenchDatabase): Promise<void> {
  // A busy worker takes locks in another order: the transaction repeats after a deadlock.
  await db.transaction((tx) => tx.query('truncate short_links, events, threat_verdicts, outbox cascade'));
}

/** Slugs that look like generated ones. */
export function numberedSlugs(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index.toString(36).padStart(6, '0')}`);
}
