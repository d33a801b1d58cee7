import type { Mailer } from '#core/lib/mail.ts';
import { disabledFrom, failingFrom } from '#core/webhooks/retries.ts';
import type { Sql } from '#db/connection/database.ts';
import { failingMailIsDue, offMailIsDue } from '#db/webhooks/sending.ts';

interface MailedWebhook {
  url: string;
  name: string | null;
  organization: string;
  email: string | null;
  /** The webhook was turned off by its failures, and its owner has not been notified. */
  isOffDue: boolean;
  /** The webhook fails, and its owner has not been notified. */
  isFailingDue: boolean;
  failures: number;
  failingSince: Date | null;
  reason: string | null;
  disabledAt: Date | null;
  lastFailureAt: Date | null;
  lastFailureCode: number | null;
  lastFailureError: string | null;
  lastFailureBody: string | null;
}

/** The deliveries that a webhook missed. */
interface Missed {
  held: number;
  /** When the oldest held event happened; where none is held, the oldest failed one. */
  since: Date | null;
}

/**
 * Sends the owner of a webhook one mail when it begins to fail, and one when it is turned off for its failures (6.5). A crash
 * between the mail and the note of it sends the mail again, with the same Message-ID. A webhook that fails and recovers again and
 * again causes at most one mail an hour.
 * @throws Error where the mail server refuses the mail.
 */
export async function tellOwnerOfWebhook(sql: Sql, mailer: Mailer, webhookId: string): Promise<void> {
  const { rows } = await sql.query<MailedWebhook>(
    `select w.url, w.name, o.name as organization, w.consecutive_failures as failures, w.failing_since as "failingSince",
       w.disabled_reason as reason, w.disabled_at as "disabledAt", w.last_failure_at as "lastFailureAt",
       w.last_failure_code as "lastFailureCode", w.last_failure_error as "lastFailureError",
       w.last_failure_body as "lastFailureBody",
       coalesce(${offMailIsDue}, false) as "isOffDue", coalesce(${failingMailIsDue}, false) as "isFailingDue",
       (select u.email from memberships m join users u on u.id = m.user_id
         where m.organization_id = o.id and m.role = 'owner' order by m.created_at limit 1) as email
     from webhooks w join organizations o on o.id = w.organization_id
     where w.id = $1`,
    [webhookId],
  );
  const webhook = rows[0];
  if (webhook?.isFailingDue === true) await tellOfFailing(sql, mailer, webhookId, webhook);
  if (webhook?.isOffDue === true) await tellOfEnd(sql, mailer, webhookId, webhook);
}

async function tellOfEnd(sql: Sql, mailer: Mailer, webhookId: string, webhook: MailedWebhook): Promise<void> {
  const { email, url } = webhook;
  const disabledAt = webhook.disabledAt!;
  if (email !== null) {
    await mailer.send({
      to: email,
      subject: `Your webhook to ${new URL(url).host} was turned off`,
      text: textOfEnd(webhookId, webhook, await readMissed(sql, webhookId)),
      messageId: `webhook-${webhookId}-${disabledAt.getTime()}@waymark`,
    });
  }
  await sql.query('update webhooks set told_at = now() where id = $1 and disabled_at = $2', [webhookId, disabledAt]);
}

async function tellOfFailing(sql: Sql, mailer: Mailer, webhookId: string, webhook: MailedWebhook): Promise<void> {
  const { email, url } = webhook;
  const failingSince = webhook.failingSince!;
  if (email !== null) {
    await mailer.send({
      to: email,
      subject: `Your webhook to ${new URL(url).host} is failing`,
      text: textOfFailing(webhookId, webhook),
      messageId: `webhook-${webhookId}-failing-${failingSince.getTime()}@waymark`,
    });
  }
  await sql.query('update webhooks set warned_at = now() where id = $1 and failing_since = $2', [
    webhookId,
    failingSince,
  ]);
}

async function readMissed(sql: Sql, webhookId: string): Promise<Missed> {
  const { rows } = await sql.query<Missed>(
    `select count(*) filter (where d.status = 'held') as held,
       coalesce(min(e.created_at) filter (where d.status = 'held'), min(e.created_at)) as since
     from deliveries d join events e on e.id = d.event_id
     where d.webhook_id = $1 and d.status in ('held', 'failed')`,
    [webhookId],
  );
  return rows[0]!;
}

// Short lines: mail programs show plain text as it is.
function textOfFailing(id: string, webhook: MailedWebhook): string {
  const { failures, failingSince } = webhook;
  return [
    `The webhook ${nameOf(webhook)}`,
    `has been failing since ${failingSince!.toISOString()}:`,
    `${Math.max(failures, failingFrom)} attempts in a row had no 2xx.`,
    '',
    `Address: ${withoutQuery(webhook.url)}`,
    `Webhook: ${id}`,
    '',
    ...lastAnswer(webhook),
    ...(webhook.isOffDue ? nextWhenOff : nextWhileFailing),
    '',
    ...(webhook.isOffDue ? [] : ['To have it tried at once:', `  POST /webhook/${id}/test`]),
    'What your server answered is in',
    `  GET /webhook/${id}/deliveries`,
    '',
  ].join('\n');
}

const nextWhenOff = ['It was turned off since: another mail tells more.'];
const nextWhileFailing = [
  'Nothing is lost: events wait, and one of them is tried now and',
  'then. As soon as your server answers one with a 2xx, all of them',
  `are sent. After ${disabledFrom} failures in a row the webhook is turned off.`,
];

function textOfEnd(id: string, webhook: MailedWebhook, { held, since }: Missed): string {
  const disabledAt = webhook.disabledAt!;
  const why =
    webhook.reason === 'gone'
      ? 'Your server answered that the address is gone (410).'
      : `The last ${disabledFrom} attempts to reach it failed.`;
  const waiting = held === 1 ? '1 event is held' : `${held} events are held`;
  return [
    `The webhook ${nameOf(webhook)}`,
    `was turned off at ${disabledAt.toISOString()}.`,
    '',
    `Address: ${withoutQuery(webhook.url)}`,
    `Webhook: ${id}`,
    '',
    why,
    ...lastAnswer(webhook),
    'Nothing more is sent there, and nothing is lost:',
    held === 0 ? 'what it has missed can be fetched.' : `${waiting}, and later ones can be fetched too.`,
    '',
    'When the server is well again, turn the webhook on:',
    `  PATCH /webhook/${id}`,
    '  {"isActive": true}',
    'and have everything sent that it missed:',
    `  POST /webhook/${id}/recover`,
    `  {"since": "${(since ?? disabledAt).toISOString()}"}`,
    'An earlier moment, at most 30 days back, brings older failures too.',
    '',
    'What your server answered is in',
    `  GET /webhook/${id}/deliveries`,
    '',
  ].join('\n');
}

function nameOf({ name, organization }: MailedWebhook): string {
  return `${name === null ? '' : `"${name}" `}of ${organization}`;
}

const toldBodyCharacters = 200;

/** The server's last answer in words. */
function lastAnswer(webhook: MailedWebhook): string[] {
  const { lastFailureAt: at, lastFailureCode: code, lastFailureError: error, lastFailureBody: body } = webhook;
  if (at === null) return [];
  const when = `At ${at.toISOString()}`;
  if (code === null) return [`${when} it gave no answer:`, `  ${error ?? 'The reason is not known.'}`, ''];
  // One line, so that an answer cannot pass for a part of this mail.
  const begin = (body ?? '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, toldBodyCharacters);
  return [
    `${when} it last answered with status ${code}${begin === '' ? '.' : ':'}`,
    ...(begin === '' ? [] : [`  ${begin}`]),
    '',
  ];
}

/** The URL without its query, which may hold secrets of the receiver. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
