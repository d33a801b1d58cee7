import type { Sql } from './database.ts';
import { isSending, type SendingWebhook, stateColumn } from './deliveries.ts';

/** How a webhook stands, for its actor. */
export interface WebhookOutlook {
  state: SendingWebhook['state'];
  url: string;
  failures: number;
  /** Until something is due, in milliseconds; 0: now; null: nothing will be. */
  nextInMs: number | null;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** It was turned off for its failures, and its owner has not been told. */
  mailDue: boolean;
}

/** SQL: that a webhook `w` was turned off for its failures, and its owner has not been told. */
export const mailIsDue = `w.disabled_reason in ('consecutive_failures', 'gone') and w.deleted_at is null
  and (w.told_at is null or w.told_at < w.disabled_at)`;

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
        case when ${isSending} and next.due_at is not null
          then greatest(0, extract(epoch from next.due_at - now()) * 1000)::float8 end as "nextInMs"
      from webhooks w join organizations o on o.id = w.organization_id
      cross join lateral (
        select (select due_at from deliveries where webhook_id = w.id and status = 'pending' and tries = 0
          and not is_urgent order by due_at limit 1) as due_at
      ) first
      cross join lateral (
        select least(
          (select due_at from deliveries where webhook_id = w.id and status = 'pending' and (tries > 0 or is_urgent)
            order by due_at limit 1),
          case when first.due_at is not null then greatest(first.due_at, w.next_probe_at) end
        ) as due_at
      ) next
      where w.id = $1`,
    values: [webhookId],
  });
  return rows[0];
}
