import { type Meter, samplesOf, shareRead } from '#core/lib/meter.ts';
import { heldKeys, lockKeyOf } from '#db/clicks/journal-lock.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { outboxKinds } from '#db/outbox.ts';
import { outboxByKind } from '#db/outbox-rows.ts';
import { measureWebhooks } from '#db/webhooks/metrics.ts';
import { workerSilentMs } from './readiness.ts';

/** Unfinished work of the whole installation. Times are the age of the oldest of each kind, in seconds. */
interface Unfinished {
  taking: number;
  idle: number;
  silent: number;
  scans: number;
  scansOldest: number;
  imports: number;
  importsOldest: number;
  deletions: Record<string, number> | null;
  deletionsOldest: number;
  shipped: number;
  abandoned: number;
  rejected: number;
}

const deletionKinds = ['links', 'domain', 'folder', 'organization'];
const ageOf = (moment: string): string => `coalesce(extract(epoch from now() - min(${moment})), 0)::float8`;

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
  const gauge = (name: string, help: string, read: (all: Unfinished) => number): void =>
    meter.gauge(`waymark_${name}`, help, async () => read(await unfinished()));
  meter.gauge(
    'waymark_workers',
    'Workers of the last hour by state: taking tasks, alive without taking tasks, and silent.',
    async () => {
      const { taking, idle, silent } = await unfinished();
      return samplesOf('state', { taking, idle, silent });
    },
    ['state'],
  );
  gauge('scans_waiting', 'URLs whose verdict is awaited.', (all) => all.scans);
  gauge('scans_oldest_seconds', 'How long the oldest of them has waited.', (all) => all.scansOldest);
  gauge('imports_unfinished', 'Imports that are not done.', (all) => all.imports);
  gauge('imports_oldest_seconds', 'Age of the oldest of them.', (all) => all.importsOldest);
  meter.gauge(
    'waymark_deletions_unfinished',
    'Deletions whose rows are not removed yet.',
    async () => {
      const { deletions } = await unfinished();
      return samplesOf('kind', Object.fromEntries(deletionKinds.map((kind) => [kind, deletions?.[kind] ?? 0])));
    },
    ['kind'],
  );
  gauge('deletions_oldest_seconds', 'Age of the oldest of them.', (all) => all.deletionsOldest);
  meter.gauge(
    'waymark_journals',
    'Journals that are not shipped whole: with a process that ships them, and (of the last day) without.',
    async () => {
      const { shipped, abandoned } = await unfinished();
      return samplesOf('state', { shipped, abandoned });
    },
    ['state'],
  );
  gauge('rejected_clicks', 'Click records that the database refused in the last week.', (all) => all.rejected);
  measureWebhooks(meter, em);
}

// By hand: one statement for all gauges, at every scrape of every process; the locks of journals are in `pg_locks` alone,
// which no entity is; no benchmark runs it.
async function readUnfinished(em: EntityManager): Promise<Unfinished> {
  const isHeard = `heard_at > now() - ${workerSilentMs} * interval '1 millisecond'`;
  const { rows } = await em.query<Unfinished>({
    name: 'measure-unfinished',
    text: `
      with held as materialized (${heldKeys}), open as materialized (
        select ingested_at, ${lockKeyOf('id')} in (select key from held) as is_held
        from journals where finished_at is null
      )
      select w.*, s.*, i.*, d.*, j.*,
        (select coalesce(sum(rejected), 0)::bigint from journals
          where rejected > 0 and ingested_at > now() - interval '7 days') as rejected
      from (
        select count(*) filter (where ${isHeard} and takes_tasks) as taking,
          count(*) filter (where ${isHeard} and not takes_tasks) as idle,
          count(*) filter (where not ${isHeard}) as silent
        from workers
      ) w, (
        select count(*) as scans, ${ageOf('requested_at')} as "scansOldest" from threat_verdicts where due_at is not null
      ) s, (
        select count(*) as imports, ${ageOf('created_at')} as "importsOldest" from imports where finished_at is null
      ) i, (
        select json_object_agg(kind, number) as deletions, coalesce(max(age), 0)::float8 as "deletionsOldest"
        from (select kind, count(*) as number, ${ageOf('deleted_at')} as age from purges group by kind) p
      ) d, (
        select count(*) filter (where is_held) as shipped,
          count(*) filter (where not is_held and ingested_at > now() - interval '1 day') as abandoned
        from open
      ) j`,
  });
  return rows[0]!;
}
