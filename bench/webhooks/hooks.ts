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
  drained(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Waits until no pump of these webhooks is at work. */
  asleep(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Counts the deliveries of these webhooks that have exactly one attempt, answered 204. */
  delivered(ids: readonly string[]): Promise<number>;
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

export function createHooks(
  { db, actor }: BenchDatabase,
  { origin, sealing }: { origin: string; sealing: Sealing },
): Hooks {
  const { organizationId } = actor;
  let made = 0;

  return {
    async make(kind, count, events = ['link.created']) {
      const hooks = Array.from({ length: count }, () => {
        const id = uuidv7();
        return {
          id,
          url: `${origin}/${kind}/${(made += 1)}`,
          secret: sealWebhookSecret(sealing, id, createWebhookSecret()),
        };
      });
      await db.query(
        `insert into webhooks (id, organization_id, url, url_key, events, secret_sealed)
         select id, $2, url, url, $4, secret from unnest($1::uuid[], $3::text[], $5::bytea[]) as h (id, url, secret)`,
        [
          hooks.map(({ id }) => id),
          organizationId,
          hooks.map(({ url }) => url),
          events,
          hooks.map(({ secret }) => secret),
        ],
      );
      return hooks.map(({ id }) => id);
    },
    async fill(ids, rows) {
      const each = Math.max(1, Math.floor(rowsPerStatement / ids.length));
      for (let left = rows; left > 0; left -= each) {
        await db.transaction(async (tx) => {
          // Triggers are off, so that the relay does nothing: its part is measured elsewhere.
          await tx.query(`set local session_replication_role = 'replica'`);
          await tx.query(
            `with added as (
               insert into events (id, organization_id, type, body, created_at)
               select new_id(), $1, 'link.created', json_build_object('data', repeat('x', $4::int - 11))::text, now()
               from generate_series(1, $3::int)
               returning id
             )
             insert into deliveries (id, webhook_id, event_id, type, due_at)
             select new_id(), w.id, a.id, 'link.created', now() from added a cross join unnest($2::uuid[]) as w (id)`,
            [organizationId, ids, Math.min(left, each), bodyBytes],
          );
        });
      }
      await db.query('vacuum analyze deliveries, delivery_attempts, events');
    },
    async wake(ids) {
      await db.transaction(async (tx) => {
        await tx.query(`insert into outbox (kind, subject_id) select 'webhook', * from unnest($1::uuid[])`, [ids]);
        await notify(tx, channels.outbox, '');
      });
    },
    async emit(count) {
      await db.query(
        `insert into events (id, organization_id, type, body, created_at)
         select new_id(), $1, 'link.created', json_build_object('data', repeat('x', $3::int - 11))::text, now()
         from generate_series(1, $2::int)`,
        [organizationId, count, bodyBytes],
      );
    },
    async drained(ids, signal) {
      const startedAt = performance.now();
      while (performance.now() - startedAt < longestMs) {
        const { rows } = await db.query<{ isBusy: boolean }>({
          name: 'bench_drained',
          text: `select exists (select from deliveries where webhook_id = any($1::uuid[]) and status = 'pending') or
            exists (select from event_queue) as "isBusy"`,
          values: [ids],
        });
        if (!rows[0]!.isBusy) return;
        await sleep(pollMs, undefined, { signal });
      }
      throw new Error('the deliveries were not made within fifteen minutes');
    },
    async asleep(ids, signal) {
      for (;;) {
        const { rows } = await db.query('select from webhooks where id = any($1::uuid[]) and is_pumping limit 1', [
          ids,
        ]);
        if (rows.length === 0) return;
        await sleep(pollMs, undefined, { signal });
      }
    },
    async delivered(ids) {
      const { rows } = await db.query<{ count: number }>(
        `select count(*) as count from deliveries d join delivery_attempts a on a.delivery_id = d.id
         where d.webhook_id = any($1::uuid[]) and d.status = 'delivered' and d.attempts = 1 and a.code = 204`,
        [ids],
      );
      return rows[0]!.count;
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
