import { z } from 'zod';
import { type RunStatus, runStatuses } from '#core/temporal/run-status.ts';
import { processViews } from '#core/temporal/views.ts';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { outboxHealth } from '#db/outbox-rows.ts';
import { AuditEntry } from '#db/entities/audit.ts';
import { auditCallers } from '#core/audit/audit.ts';
import { idSchema } from '#core/links/draft.ts';
import { newestMigration } from '#db/migrations/newest.ts';
import { listWorkers } from '#db/health/workers.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type { ApiDependencies } from '#api/dependencies.ts';
import { reading, readingSystem, router } from '#api/staff/context.ts';
import { listShape, momentSchema, readPage } from '#api/staff/inputs.ts';

export const systemTools = ({ health, journalLagMs, workflows }: ApiDependencies) =>
  router({
    /** Readiness as in /readyz, the outbox, the lag of clicks, the workers and the versions that run. */
    health: readingSystem.input(z.strictObject({}).prefault({})).query(async ({ ctx: { em } }) => {
      const [{ names: degraded }, outbox, workers, database, temporal] = await Promise.all([
        // A database that is late for readiness may answer the rest.
        health.degraded(),
        outboxHealth(em),
        listWorkers(em),
        readDatabaseVersion(em),
        workflows.serverVersion(),
      ]);
      return {
        status: degraded.length === 0 ? 'ready' : 'degraded',
        degraded,
        notes: health.notes ?? [],
        outbox,
        /** Workers of the last hour. One that is silent for 30 s is dead or hangs. */
        workers,
        journalLagMs: journalLagMs(),
        versions: {
          waymark: manifest.version,
          node: process.versions.node,
          database,
          /** The newest migration that this version knows. */
          schema: newestMigration,
          /** Null while Temporal does not answer. */
          temporal,
        },
      } as const;
    }),
  });

const auditListInput = z
  .strictObject({
    ...listShape,
    caller: z.enum(auditCallers).optional().describe('Who acted; unset: all.'),
    userId: idSchema.optional(),
    since: momentSchema.optional().describe('Included.'),
    until: momentSchema.optional().describe('Not included.'),
  })
  .prefault({});

/** The audit log of the last year: changes by staff and CLI, reads by staff, and sign-ins. */
export const auditTools = () =>
  router({
    list: readingSystem.input(auditListInput).query(({ ctx, input }) =>
      readPage(input, (query) => ctx.em.getRepository(AuditEntry).list(query), {
        present: (entry) => entry,
        cursorOf: ({ id }) => id,
      }),
    ),
  });

const wordSchema = z.string().regex(/^[A-Za-z-]{1,40}$/, 'is not a word');
const workflowListInput = z
  .strictObject({
    ...listShape,
    cursor: z
      .string()
      .max(4_000)
      .regex(/^[\w-]+$/, 'is not that of a page')
      .optional(),
    linkId: idSchema.optional(),
    domainId: idSchema.optional(),
    webhookId: idSchema.optional(),
    type: wordSchema.optional().describe('The kind of process: `webhook`.'),
    status: z
      .enum(Object.keys(runStatuses) as [RunStatus, ...RunStatus[]])
      .optional()
      .describe('How Temporal has it.'),
    view: z.enum(processViews).optional().describe('One of the lists that `workflows.views` counts.'),
    state: wordSchema.optional().describe('Its own word for what it does.'),
  })
  .prefault({});

/** Runs of workflows in Temporal, open and closed. `search` is a prefix of workflow ids. */
export const workflowTools = ({ workflows }: ApiDependencies) =>
  router({
    list: reading.input(workflowListInput).query(async ({ input: { search: idPrefix, ...query } }) => {
      return workflows.list({ ...query, idPrefix });
    }),
    views: reading.input(z.strictObject({}).prefault({})).query(() => workflows.countViews()),
  });

async function readDatabaseVersion(em: EntityManager): Promise<string> {
  const version = sql<string>`current_setting('server_version')`.as('version');
  return (await em.kysely.selectNoFrom(version).executeTakeFirstOrThrow()).version;
}
