import type { EventType } from '#core/webhooks/events.ts';
import type { Sql } from '#db/connection/database.ts';
import { updatedLater } from '#db/links/update.ts';
import { type Paging, readPage } from '#db/connection/paging.ts';

/** `gone`: the receiver answered 410; `turned_off`: by a call. */
export const disabledReasons = ['consecutive_failures', 'gone', 'turned_off'] as const;

/** A webhook without its secret. */
export interface WebhookRow {
  id: string;
  organizationId: string;
  name: string | null;
  /** As the client sent it. */
  url: string;
  events: EventType[];
  isActive: boolean;
  /** Failed attempts since the last success. */
  consecutiveFailures: number;
  lastFailureAt: Date | null;
  disabledAt: Date | null;
  disabledReason: (typeof disabledReasons)[number] | null;
  createdAt: Date;
  updatedAt: Date;
}

/** SQL: the columns of `webhooks` that make a `WebhookRow`. */
export const webhookColumns = `id, organization_id as "organizationId", name, url, events, is_active as "isActive",
  consecutive_failures as "consecutiveFailures", last_failure_at as "lastFailureAt", disabled_at as "disabledAt",
  disabled_reason as "disabledReason", created_at as "createdAt", updated_at as "updatedAt"`;

/** Reads a live webhook of any organization. `lock` keeps others from changing it, and pumps from claiming, until the commit. */
export async function readWebhook(
  sql: Sql,
  id: string,
  lock: '' | 'for no key update' = '',
): Promise<WebhookRow | undefined> {
  const { rows } = await sql.query<WebhookRow>(
    `select ${webhookColumns} from webhooks where id = $1 and deleted_at is null ${lock}`,
    [id],
  );
  return rows[0];
}

/** Lists an organization's webhooks, the most recent first. */
export function listWebhooks(
  sql: Sql,
  { organizationId, ...paging }: Paging & { organizationId: string },
): Promise<{ count: number; rows: WebhookRow[] }> {
  return readPage<WebhookRow>(sql, {
    ...paging,
    columns: webhookColumns,
    from: 'webhooks where organization_id = $1 and deleted_at is null',
    orderBy: 'created_at desc, id desc',
    values: [organizationId],
  });
}

/** Counts an organization's webhooks. */
export async function countWebhooks(tx: Sql, organizationId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*) as count from webhooks where organization_id = $1 and deleted_at is null',
    [organizationId],
  );
  return rows[0]!.count;
}

/** Inserts a webhook. `urlKey` (`webhookUrlKey`) is unique among the organization's live webhooks. */
export async function insertWebhook(
  tx: Sql,
  webhook: Pick<WebhookRow, 'id' | 'organizationId' | 'name' | 'url' | 'events'> & {
    urlKey: string;
    secretSealed: Buffer;
    now: Date;
  },
): Promise<void> {
  const { id, organizationId, name, url, urlKey, events, secretSealed, now } = webhook;
  await tx.query(
    `insert into webhooks (id, organization_id, name, url, url_key, events, secret_sealed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [id, organizationId, name, url, urlKey, events, secretSealed, now],
  );
}

/** Changes the fields that clients may set. */
export async function setWebhook(
  tx: Sql,
  id: string,
  { name, url, urlKey, events, now }: Pick<WebhookRow, 'name' | 'url' | 'events'> & { urlKey: string; now: Date },
): Promise<void> {
  await tx.query(
    `update webhooks set name = $2, url = $3, url_key = $4, events = $5, ${updatedLater('$6')} where id = $1`,
    [id, name, url, urlKey, events, now],
  );
}

/** Turns a webhook off on behalf of a call. */
export async function setWebhookOff(tx: Sql, id: string, now: Date): Promise<void> {
  await tx.query(
    `update webhooks set is_active = false, disabled_at = $2, disabled_reason = 'turned_off', ${updatedLater('$2')} where id = $1`,
    [id, now],
  );
}

/** Turns a webhook on and resets its failures. */
export async function setWebhookOn(tx: Sql, id: string, now: Date): Promise<void> {
  await tx.query(
    `update webhooks set is_active = true, consecutive_failures = 0, failing_since = null, next_probe_at = null,
       disabled_at = null, disabled_reason = null, told_at = null, warned_at = null, ${updatedLater('$2')}
     where id = $1`,
    [id, now],
  );
}

/** Reads a live webhook with its sealed secret. */
export async function readWebhookWithSecret(
  sql: Sql,
  id: string,
): Promise<(WebhookRow & { secretSealed: Buffer }) | undefined> {
  const { rows } = await sql.query<WebhookRow & { secretSealed: Buffer }>(
    `select ${webhookColumns}, secret_sealed as "secretSealed" from webhooks where id = $1 and deleted_at is null`,
    [id],
  );
  return rows[0];
}

/** Replaces a webhook's secret; the previous one signs too until `previousUntil`. */
export async function setSecret(
  tx: Sql,
  id: string,
  { sealed, previousUntil, now }: { sealed: Buffer; previousUntil: Date; now: Date },
): Promise<void> {
  await tx.query(
    `update webhooks set secret_sealed = $2, previous_secret_sealed = secret_sealed, previous_secret_until = $3,
       ${updatedLater('$4')}
     where id = $1`,
    [id, sealed, previousUntil, now],
  );
}

/** Marks a webhook as deleted; its URL may be used again at once. */
export async function tombstoneWebhook(tx: Sql, id: string, now: Date): Promise<void> {
  await tx.query('update webhooks set deleted_at = $2 where id = $1', [id, now]);
}

/** The time whose missed events a webhook is to be sent. */
export interface RecoveryRange {
  since: Date;
  until: Date;
}

/**
 * Stores a recovery: the webhook is sent the events of the range that it missed. Joins the range with that of an unfinished
 * recovery and begins again. @returns the joined range.
 */
export async function putRecovery(tx: Sql, webhookId: string, { since, until }: RecoveryRange): Promise<RecoveryRange> {
  const { rows } = await tx.query<RecoveryRange>(
    `insert into webhook_recoveries as r (webhook_id, since, until, after_at, after_id)
     values ($1, $2, $3, $2, '00000000-0000-0000-0000-000000000000')
     on conflict (webhook_id) do update set since = least(r.since, excluded.since),
       until = greatest(r.until, excluded.until), after_at = least(r.since, excluded.since), after_id = excluded.after_id
     returning since, until`,
    [webhookId, since, until],
  );
  return rows[0]!;
}

/** Cancels a webhook's recovery. */
export async function dropRecovery(tx: Sql, webhookId: string): Promise<void> {
  await tx.query('delete from webhook_recoveries where webhook_id = $1', [webhookId]);
}
