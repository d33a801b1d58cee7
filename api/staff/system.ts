import { z } from 'zod';
import type { Sql } from '#db/connection/database.ts';
import { outboxHealth } from '#db/outbox.ts';
import { newestMigration } from '#db/migrations/newest.ts';
import { listWorkers } from '#db/health/workers.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { ApiDependencies } from '#api/dependencies.ts';
import { readingSystem, router } from './context.ts';

/** How the installation is. */
export const systemTools = ({ db, health, journalLagMs, workflows }: ApiDependencies) =>
  router({
    /** What /readyz says, what waits in the outbox, how far clicks are behind, which workers live, and what runs. */
    health: readingSystem.input(z.strictObject({}).prefault({})).query(async () => {
      const [degraded, outbox, workers, database, temporal] = await Promise.all([
        health.degraded(),
        outboxHealth(db),
        listWorkers(db),
        readDatabaseVersion(db),
        workflows.serverVersion(),
      ]);
      return {
        status: degraded.length === 0 ? 'ready' : 'degraded',
        degraded,
        notes: health.notes ?? [],
        outbox,
        /** Those of the last hour; one that was silent for 30 s and more is dead or hung. */
        workers: workers.map(({ startedAt, heardAt, ...worker }) => ({
          ...worker,
          startedAt: startedAt.toISOString(),
          heardAt: heardAt.toISOString(),
        })),
        journalLagMs: journalLagMs(),
        versions: {
          waymark: manifest.version,
          node: process.versions.node,
          database,
          /** The newest migration that this version knows. */
          schema: newestMigration,
          /** Null while Temporal cannot be asked. */
          temporal,
        },
      } as const;
    }),
  });

async function readDatabaseVersion(sql: Sql): Promise<string> {
  const { rows } = await sql.query<{ server_version: string }>('show server_version');
  return rows[0]!.server_version;
}
