import pg from 'pg';
import { ensureDemo } from '#commands/organizations/demo.ts';
import { ensurePlatformDomain } from '#db/domains/platform.ts';
import { ensureEdgeRole, grantEdgeRole } from '#db/connection/edge-role.ts';
import { migrate } from '#db/migrations/migrate.ts';
import { openClickHouse } from '#db/connection/clickhouse/open-clickhouse.ts';
import { migrateClickHouse } from '#db/clicks/clickhouse/schema.ts';
import type { EdgeRole } from './edge-access.ts';
import { createDemoCredentials, readDemoCredentials, type WantedCredentials } from './secrets.ts';

const clickhouseMs = 60_000;

// A child process of npm start: its modules load while the database starts, and the long-lived supervisor stays small.

/** The supervisor's message when the database is ready. */
export interface PrepareRequest {
  databaseUrl: string;
  /** Undefined: clicks are in the database. */
  clickhouseUrl?: string | undefined;
  dataDir: string;
  wanted: WantedCredentials;
  /**
   * The edge's role. With a password, for the embedded database, it is created; without, in an operator's database, it exists and
   * gets its rights.
   */
  edgeRole?: EdgeRole | undefined;
  /** Host of links without a custom domain. */
  platformHost: string;
}

/** Messages to the supervisor: the applied migrations, then whether a demo organization exists. */
export type PrepareProgress = { type: 'migrated'; names: string[] } | { type: 'demo'; exists: boolean };

process.once('message', (request: PrepareRequest) => {
  void prepare(request).then(
    () => process.disconnect(),
    (error: Error) => {
      console.error(error.message);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => process.exit());

async function prepare({
  databaseUrl,
  clickhouseUrl,
  dataDir,
  wanted,
  edgeRole,
  platformHost,
}: PrepareRequest): Promise<void> {
  const names = await migrate(databaseUrl);
  const clickhouse = await openClickHouse(clickhouseUrl, 'migrate', clickhouseMs);
  try {
    if (clickhouse !== undefined) await migrateClickHouse(clickhouse);
  } finally {
    await clickhouse?.close();
  }
  report({ type: 'migrated', names });
  if (edgeRole?.password !== undefined) await ensureEdgeRole(databaseUrl, edgeRole.name, edgeRole.password);
  else if (edgeRole !== undefined) await grantEdgeRole(databaseUrl, edgeRole.name);
  // The edge needs the platform domain before the API serves, and has no right to insert it.
  await withClient(databaseUrl, (client) => ensurePlatformDomain(client, platformHost));
  // A database with organizations gets no demo organization.
  const known = readDemoCredentials(dataDir);
  const credentials = known ?? ((await isFresh(databaseUrl)) ? createDemoCredentials(dataDir, wanted) : undefined);
  if (credentials !== undefined) await ensureDemo(databaseUrl, credentials);
  report({ type: 'demo', exists: credentials !== undefined });
}

// By hand: the process that prepares the database loads no ORM for one look; no benchmark runs it.
async function isFresh(databaseUrl: string): Promise<boolean> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ known: boolean }>('select exists (select from organizations) as known'),
  );
  return rows[0]?.known === false;
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function report(progress: PrepareProgress): void {
  process.send?.(progress);
}
