import { sql } from 'kysely';
import { type Meter, samplesOf, shareRead } from '#core/lib/meter.ts';
import { heldKeys, lockKeyOf } from '#db/clicks/journal-lock.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { outboxKinds } from '#db/outbox.ts';
import { outboxByKind } from '#db/outbox-rows.ts';
import { measureWebhooks } from '#db/webhooks/metrics.ts';
import { workerSilentMs } from './readiness.ts';

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

  const unfinished = shareRead(() => readUnfinished(em));
  type Unfinished = Awaited<ReturnType<typeof readUnfinished>>;
  const gauge = (name: string, help: string, read: (all: Unfinished) => number): void =>
    meter.gauge(`waymark_${name}`, help, async () => read(await unfinished()));
  meter.gauge(
    'waymark_workers',
    'Workers of the last hour by state: taking tasks, alive without taking tasks, and silent.',
    async () => samplesOf('state', (await unfinished()).workers),
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
      const { shipped, abandoned } = (await unfinished()).journals;
      return samplesOf('state', { shipped, abandoned });
    },
    ['state'],
  );
  gauge('rejected_clicks', 'Click records that the database refused in the last week.', (all) => all.journals.rejected);
  measureWebhooks(meter, em);
}

async function readUnfinished({ kysely }: EntityManager) {
  const isHeard = sql`heard_at > now() - ${workerSilentMs} * interval '1 millisecond'`;
  const isHeld = sql`${sql.raw(lockKeyOf('id'))} in (${sql.raw(heldKeys)})`;
  const waiting = countOfRows.as('waiting');
  return {
    workers: await kysely
      .selectFrom('Worker')
      .select([
        sql<number>`count(*) filter (where ${isHeard} and takes_tasks)`.as('taking'),
        sql<number>`count(*) filter (where ${isHeard} and not takes_tasks)`.as('idle'),
        sql<number>`count(*) filter (where not ${isHeard})`.as('silent'),
      ])
      .executeTakeFirstOrThrow(),
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
    journals: await kysely
      .selectFrom('Journal')
      .select([
        sql<number>`count(*) filter (where finished_at is null and ${isHeld})`.as('shipped'),
        sql<number>`count(*) filter (
          where finished_at is null and ingested_at > now() - interval '1 day' and not ${isHeld})`.as('abandoned'),
        sql<number>`coalesce(sum(rejected) filter (
          where rejected > 0 and ingested_at > now() - interval '7 days'), 0)::bigint`.as('rejected'),
      ])
      .executeTakeFirstOrThrow(),
  };
}
