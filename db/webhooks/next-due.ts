import type { Sql } from '#db/connection/database.ts';
import { isSending, type SendingWebhook, stateColumn } from './sending.ts';

/** How a webhook stands, for its actor. */
export interface WebhookOutlook {
  state: SendingWebhook['state'];
  url: string;
  failures: number;
  /** Until something is due, in milliseconds; 0: now; null: nothing will be. */
  nextInMs: number | null;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** It fails, or was turned off for its failures, and its owner has not been told. */
  mailDue: boolean;
  /** What the last failed attempt was answered: a status, or why there was none. Both null: none has failed yet. */
  lastFailureCode: number | null;
  lastFailureError: string | null;
  lastFailureAt: Date | null;
}

/** SQL: that a webhook `w` was turned off for its failures, and its owner has not been told. */
export const offMailIsDue = `w.disabled_reason in ('consecutive_failures', 'gone') and w.deleted_at is null
  and (w.told_at is null or w.told_at < w.disabled_at)`;
/**
 * SQL: that a webhook `w` fails, or did until that turned it off, and its owner has not been told, nor of an earlier time within
 * the last hour.
 */
export const failingMailIsDue = `(w.is_active or w.disabled_reason = 'consecutive_failures') and w.deleted_at is null and w.failing_since is not null
  and (w.warned_at is null or w.warned_at < w.failing_since and w.warned_at < now() - interval '1 hour')`;
/** SQL: that the owner of a webhook `w` has to be told of something. */
export const mailIsDue = `(${offMailIsDue} or ${failingMailIsDue})`;

const countedAtMost = 10_000;

/** Looks what is next for a webhook; undefined where there is none. */
export async function lookAhead(sql: Sql, webhookId: string): Promise<WebhookOutlook | undefined> {
  const { rows } = await sql.query<WebhookOutlook>({
    name: 'deliveries_outlook',
    text: `
      select ${stateColumn} as state, w.url, w.consecutive_failures as failures,
        coalesce(${mailIsDue}, false) as "mailDue",
        (select count(*) from (
          select 1 from deliveries where webhook_id = w.id and status = 'pending' limit ${countedAtMost}) d) as waiting,
        w.last_failure_code as "lastFailureCode", w.last_failure_error as "lastFailureError",
        w.last_failure_at as "lastFailureAt",
        case when ${isSending} and next.due_at is not null
          then greatest(0, extract(epoch from greatest(next.due_at, w.next_probe_at) - now()) * 1000)::float8 end as "nextInMs"
      from webhooks w join organizations o on o.id = w.organization_id
      cross join lateral (
        select least(
          (select due_at from deliveries where webhook_id = w.id and status = 'pending' and is_urgent
            order by due_at limit 1),
          (select due_at from deliveries where webhook_id = w.id and status = 'pending' and not is_urgent
            order by due_at limit 1)
        ) as due_at
      ) next
      where w.id = $1`,
    values: [webhookId],
  });
  return rows[0];
}
