import { sql } from 'kysely';
import { type Meter, samplesOf, shareRead } from '#core/lib/meter.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { outboxKinds } from '#db/outbox.ts';
import { outboxByKind } from '#db/outbox-rows.ts';
import { measureWebhooks } from '#db/webhooks/metrics.ts';
import { readBacklog } from './readiness.ts';

const deletionKinds = ['links', 'domain', 'folder', 'organization'];
const countOfRows = sql<number>`count(*)`;

/** Kysely: the age of the oldest of some rows, in seconds. */
const ageOf = (moment: string) =>
  sql<number>`coalesce(extract(epoch from now() - min(${sql.ref(moment)})), 0)::float8`.as('oldest');

/**
 * Registers metrics that are the same in every process: outbox, workers, journals, and unfinished work. API and workers export
 * them, so that they are known when one of the two is down; take the `max` over processes.
 */
export function measureInstallation(meter: Meter, em: EntityManager): void {
  const outbox = shareRead(() => outboxByKind(em));
  meter.gauge(
    'waymark_outbox_rows',
    'Rows of the outbox, of the whole installation.',
    async () => {
      const rows = await outbox();
      return outboxKinds.flatMap((kind) => {
        const { waiting = 0, parked = 0 } = rows.find((row) => row.kind === kind) ?? {};
        return Object.entries({ waiting, parked }).map(([state, value]) => ({ labels: { kind, state }, value }));
      });
    },
    ['kind', 'state'],
  );
  meter.gauge(
    'waymark_outbox_oldest_seconds',
    'Age of the oldest row of the outbox that waits.',
    async () => {
      const rows = await outbox();
      const ages = outboxKinds.map((kind) => [kind, (rows.find((row) => row.kind === kind)?.oldestMs ?? 0) / 1_000]);
      return samplesOf('kind', Object.fromEntries(ages) as Record<string, number>);
    },
    ['kind'],
  );

  const backlog = shareRead(() => readBacklog(em));
  const unfinished = shareRead(() => readUnfinished(em));
  type Unfinished = Awaited<ReturnType<typeof readUnfinished>>;
  const gauge = (name: string, help: string, read: (all: Unfinished) => number): void =>
    meter.gauge(`waymark_${name}`, help, async () => read(await unfinished()));
  meter.gauge(
    'waymark_workers',
    'Workers of the last hour by state: taking tasks, alive without taking tasks, and silent.',
    async () => {
      const { heard, takingTasks: taking, silent } = (await backlog()).workers;
      return samplesOf('state', { taking, idle: heard - taking, silent });
    },
    ['state'],
  );
  gauge('scans_waiting', 'URLs whose verdict is awaited.', ({ scans }) => scans.waiting);
  gauge('scans_oldest_seconds', 'How long the oldest of them has waited.', ({ scans }) => scans.oldest);
  gauge('imports_unfinished', 'Imports that are not done.', ({ imports }) => imports.waiting);
  gauge('imports_oldest_seconds', 'Age of the oldest of them.', ({ imports }) => imports.oldest);
  meter.gauge(
    'waymark_deletions_unfinished',
    'Deletions whose rows are not removed yet.',
    async () => {
      const { deletions } = await unfinished();
      const countOf = (kind: string): number => deletions.find((row) => row.kind === kind)?.waiting ?? 0;
      return samplesOf('kind', Object.fromEntries(deletionKinds.map((kind) => [kind, countOf(kind)])));
    },
    ['kind'],
  );
  gauge('deletions_oldest_seconds', 'Age of the oldest of them.', ({ deletions }) =>
    Math.max(0, ...deletions.map(({ oldest }) => oldest)),
  );
  meter.gauge(
    'waymark_journals',
    'Journals that are not shipped whole: with a process that ships them, and (of the last day) without.',
    async () => {
      const { shipped, abandoned } = await backlog();
      return samplesOf('state', { shipped, abandoned });
    },
    ['state'],
  );
  meter.gauge(
    'waymark_rejected_clicks',
    'Click records that the database refused in the last week.',
    async () => (await backlog()).rejected,
  );
  measureWebhooks(meter, em);
}

async function readUnfinished({ kysely }: EntityManager) {
  const waiting = countOfRows.as('waiting');
  return {
    scans: await kysely
      .selectFrom('ThreatVerdict')
      .select([waiting, ageOf('requestedAt')])
      .where('dueAt', 'is not', null)
      .executeTakeFirstOrThrow(),
    imports: await kysely
      .selectFrom('Import')
      .select([waiting, ageOf('createdAt')])
      .where('finishedAt', 'is', null)
      .executeTakeFirstOrThrow(),
    deletions: await kysely
      .selectFrom('Deletion')
      .select(['kind', waiting, ageOf('deletedAt')])
      .groupBy('kind')
      .execute(),
  };
}
