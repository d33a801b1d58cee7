import pg from 'pg';
import { ensureDemo } from '../commands/demo.ts';
import { migrate } from '../db/migrate.ts';
import { createDemoCredentials, readDemoCredentials, type WantedCredentials } from './supervisor/secrets.ts';

// Run by npm start as a process of its own: its modules load while the database starts, and the supervisor, which lives
// long, stays small.

/** What the supervisor sends when the database is up. */
export interface PrepareRequest {
  databaseUrl: string;
  dataDir: string;
  wanted: WantedCredentials;
}

/** What it hears: which migrations were applied, then whether there is a demo organization. */
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

async function prepare({ databaseUrl, dataDir, wanted }: PrepareRequest): Promise<void> {
  report({ type: 'migrated', names: await migrate(databaseUrl) });
  // Somebody's database with organizations in it gets no demo beside them.
  const known = readDemoCredentials(dataDir);
  const credentials = known ?? ((await isFresh(databaseUrl)) ? createDemoCredentials(dataDir, wanted) : undefined);
  if (credentials !== undefined) await ensureDemo(databaseUrl, credentials);
  report({ type: 'demo', exists: credentials !== undefined });
}

async function isFresh(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ known: boolean }>('select exists (select from organizations) as known');
    return rows[0]?.known === false;
  } finally {
    await client.end();
  }
}

function report(progress: PrepareProgress): void {
  process.send?.(progress);
}
