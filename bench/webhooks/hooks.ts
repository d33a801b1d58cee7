import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from '#core/lib/uuid.ts';
import { createWebhookSecret, sealWebhookSecret } from '#core/webhooks/signing.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import type { BenchDatabase } from '#bench/lib/database.ts';

/** Webhooks of a benchmark, and their deliveries. */
export interface Hooks {
  /** Inserts webhooks, each with a path of its own below `kind`. @returns their ids. */
  make(kind: 'ok' | 'fail' | 'hang', count: number, events?: readonly string[]): Promise<string[]>;
  /** Inserts `rows` due deliveries for each webhook, without waking its workflow. */
  fill(ids: readonly string[], rows: number): Promise<void>;
  /** Wakes the workflows. */
  wake(ids: readonly string[]): Promise<void>;
  /** Inserts events for all subscribed webhooks, as commands do. */
  emit(count: number): Promise<void>;
  /** Waits until none of these webhooks has a pending delivery. @throws Error after fifteen minutes. */
  drained(ids: readonly string[]): Promise<void>;
  /** Waits until no pump of these webhooks is at work. */
  asleep(ids: readonly string[]): Promise<void>;
  /** Counts the deliveries of these webhooks that have exactly one attempt, answered 204. */
  delivered(ids: readonly string[]): Promise<number>;
  /** Milliseconds from each event, whose id holds its time, to the answer of its first attempt. */
  lags(ids: readonly string[]): Promise<number[]>;
  /** Deletes webhooks with their deliveries, and waits until their workflows know. */
  end(ids: readonly string[]): Promise<void>;
  /** Removes all webhooks and their deliveries. */
  clear(): Promise<void>;
  /** Removes events and deliveries. */
  empty(): Promise<void>;
}

// The size of a long link.created.
const bodyBytes = 700;
const pollMs = 20;
const longestMs = 900_000;
const rowsPerStatement = 20_000;

interface HooksOptions {
  origin: string;
  sealing: Sealing;
  signal: AbortSignal;
  /** Whose webhooks they are; that of the benchmark unless given. */
  organizationId?: string;
}

export function createHooks(
  { db, actor }: BenchDatabase,
  { origin, sealing, signal, organizationId = actor.organizationId }: HooksOptions,
): Hooks {
  let made = 0;
  const insertEvents = `insert into events (id, organization_id, type, body, created_at)
    select new_id(), $1, 'link.created', json_build_object('data', repeat('x', ${bodyBytes - 11}))::text, now()
    from generate_series(1, $2::int) returning id`;
  /** Waits until a query has no row. */
  const untilNone = async (text: string, ids: readonly string[]): Promise<void> => {
    const startedAt = performance.now();
    while ((await db.query({ text, values: [ids] })).rowCount !== 0) {
      if (performance.now() - startedAt > longestMs) throw new Error('still rows after fifteen minutes');
      await sleep(pollMs, undefined, { signal });
    }
  };

  return {
    async make(kind, count, events = ['link.created']) {
      const ids = Array.from({ length: count }, () => uuidv7());
      await db.query(
        `insert into webhooks (id, organization_id, url, url_key, events, secret_sealed)
         select id, $2, url, url, $4, secret from unnest($1::uuid[], $3::text[], $5::bytea[]) as h (id, url, secret)`,
        [
          ids,
          organizationId,
          ids.map(() => `${origin}/${kind}/${(made += 1)}`),
          events,
          ids.map((id) => sealWebhookSecret(sealing, id, createWebhookSecret())),
        ],
      );
      return ids;
    },
    async fill(ids, rows) {
      const each = Math.max(1, Math.floor(rowsPerStatement / ids.length));
      for (let left = rows; left > 0; left -= each) {
        await db.transaction(async (tx) => {
          // Triggers are off, so that the relay does nothing: its part is measured elsewhere.
          await tx.query(`set local session_replication_role = 'replica'`);
          await tx.query(
            `with added as (${insertEvents}) insert into deliveries (id, webhook_id, event_id, type, due_at)
             select new_id(), w.id, a.id, 'link.created', now() from added a cross join unnest($3::uuid[]) as w (id)`,
            [organizationId, Math.min(left, each), ids],
          );
        });
      }
      await db.query('vacuum analyze deliveries, delivery_attempts, events');
    },
    async wake(ids) {
      await db.transaction(async (tx) => {
        await tx.query(
          `insert into outbox (kind, subject_id) select 'webhook', * from unnest($1::uuid[]) on conflict do nothing`,
          [ids],
        );
        await notify(tx, channels.outbox, '');
      });
    },
    emit: async (count) => void (await db.query(insertEvents, [organizationId, count])),
    drained: (ids) =>
      untilNone(
        `select where exists (select from deliveries where webhook_id = any($1::uuid[]) and status = 'pending')
           or exists (select from event_queue)`,
        ids,
      ),
    asleep: (ids) => untilNone('select from webhooks where id = any($1::uuid[]) and is_pumping limit 1', ids),
    async delivered(ids) {
      const { rows } = await db.query<{ count: number }>(
        `select count(*) as count from deliveries d join delivery_attempts a on a.delivery_id = d.id
         where d.webhook_id = any($1::uuid[]) and d.status = 'delivered' and d.attempts = 1 and a.code = 204`,
        [ids],
      );
      return rows[0]!.count;
    },
    async lags(ids) {
      const { rows } = await db.query<{ eventId: string; endMs: number }>(
        `select d.event_id as "eventId", (extract(epoch from a.at) * 1000)::float8 + a.duration_ms as "endMs"
         from deliveries d join delivery_attempts a on a.delivery_id = d.id and a.number = 1
         where d.webhook_id = any($1::uuid[])`,
        [ids],
      );
      return rows.map(({ eventId, endMs }) => endMs - Number.parseInt(eventId.replace('-', '').slice(0, 12), 16));
    },
    async end(ids) {
      await db.query('update webhooks set deleted_at = now() where id = any($1::uuid[])', [ids]);
      await this.wake(ids);
      await untilNone('select from outbox where subject_id = any($1::uuid[]) limit 1', ids);
      await this.asleep(ids);
      await db.query('delete from deliveries where webhook_id = any($1::uuid[])', [ids]);
    },
    async clear() {
      await db.query('update webhooks set deleted_at = now() where deleted_at is null');
      await this.empty();
    },
    async empty() {
      await db.transaction((tx) => tx.query('truncate deliveries, delivery_attempts, event_queue, outbox'));
      await db.query('delete from events');
    },
  };
}
