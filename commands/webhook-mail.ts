import type { Mailer } from '../core/mail.ts';
import { disabledFrom } from '../core/webhook-schedule.ts';
import type { Sql } from '../db/database.ts';
import { mailIsDue } from '../db/webhook-outlook.ts';

interface DisabledWebhook {
  url: string;
  name: string | null;
  organization: string;
  reason: string;
  disabledAt: Date;
  held: number;
  /** When the oldest event happened that is held or, where none is, that has failed. */
  missedSince: Date | null;
  email: string | null;
}

/**
 * Writes to the owner of a webhook that was turned off for its failures (6.5), once; a crash between the mail and its note
 * sends it again, with the same Message-ID.
 * @throws Error where the mail is not taken.
 */
export async function tellOwnerOfDisabled(sql: Sql, mailer: Mailer, webhookId: string): Promise<void> {
  const { rows } = await sql.query<DisabledWebhook>(
    `select w.url, w.name, o.name as organization, w.disabled_reason as reason, w.disabled_at as "disabledAt",
       held.count as held, held.since as "missedSince",
       (select u.email from memberships m join users u on u.id = m.user_id
         where m.organization_id = o.id and m.role = 'owner' order by m.created_at limit 1) as email
     from webhooks w join organizations o on o.id = w.organization_id
     cross join lateral (
       select count(*) filter (where d.status = 'held') as count,
         coalesce(min(e.created_at) filter (where d.status = 'held'), min(e.created_at)) as since
       from deliveries d join events e on e.id = d.event_id
       where d.webhook_id = w.id and d.status in ('held', 'failed')
     ) held
     where w.id = $1 and ${mailIsDue}`,
    [webhookId],
  );
  const webhook = rows[0];
  if (webhook === undefined) return;
  const { email, disabledAt } = webhook;
  if (email !== null) {
    await mailer.send({
      to: email,
      subject: `Your webhook to ${new URL(webhook.url).host} was turned off`,
      text: textOf(webhookId, webhook),
      messageId: `webhook-${webhookId}-${disabledAt.getTime()}@waymark`,
    });
  }
  await sql.query('update webhooks set told_at = now() where id = $1 and disabled_at = $2', [webhookId, disabledAt]);
}

function textOf(
  id: string,
  { url, name, organization, reason, disabledAt, held, missedSince }: DisabledWebhook,
): string {
  const why =
    reason === 'gone'
      ? 'Your server answered that the address is gone (410).'
      : `The last ${disabledFrom} attempts to reach it failed.`;
  const waiting = held === 1 ? '1 event is held' : `${held} events are held`;
  // Short lines: mail programs, and people who read the files, see them as they are.
  return [
    `The webhook ${name === null ? '' : `"${name}" `}of ${organization}`,
    `was turned off at ${disabledAt.toISOString()}.`,
    '',
    `Address: ${withoutQuery(url)}`,
    `Webhook: ${id}`,
    '',
    why,
    'Nothing more is sent there, and nothing is lost:',
    held === 0 ? 'what it has missed can be fetched.' : `${waiting}, and later ones can be fetched too.`,
    '',
    'When the server is well again, turn the webhook on:',
    `  PATCH /webhook/${id}`,
    '  {"isActive": true}',
    'and have everything sent that it missed:',
    `  POST /webhook/${id}/recover`,
    `  {"since": "${(missedSince ?? disabledAt).toISOString()}"}`,
    'An earlier moment, at most 30 days back, brings older failures too.',
    '',
    'What your server answered is in',
    `  GET /webhook/${id}/deliveries`,
    '',
  ].join('\n');
}

/** Queries may hold secrets of the receiver. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
