import { raw } from '@mikro-orm/postgresql';
import type { Mailer } from '#core/lib/mail.ts';
import { disabledFrom, failingFrom } from '#core/webhooks/standing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Webhook } from '#db/entities/webhooks.ts';
import { type MailedWebhook, type Missed, readMailedWebhook, readMissed } from '#db/webhooks/mail.ts';

/**
 * Sends the owner of a webhook one mail when it begins to fail, and one when it is turned off for its failures. A crash
 * between the mail and the note of it sends the mail again, with the same Message-ID. A webhook that fails and recovers again and
 * again causes at most one mail an hour.
 * @throws Error where the mail server refuses the mail.
 */
export async function mailOwnerOfWebhook(em: EntityManager, mailer: Mailer, webhookId: string): Promise<void> {
  const webhook = await readMailedWebhook(em, webhookId);
  if (webhook?.isFailingDue === true) await mailFailing(em, mailer, webhook);
  if (webhook?.isOffDue === true) await mailTurnedOff(em, mailer, webhook);
}

async function mailTurnedOff(em: EntityManager, mailer: Mailer, webhook: MailedWebhook): Promise<void> {
  const { id, email, url } = webhook;
  const disabledAt = webhook.disabledAt!;
  if (email !== null) {
    await mailer.send({
      to: email,
      subject: `Your webhook to ${new URL(url).host} was turned off`,
      text: textOfTurnedOff(webhook, await readMissed(em, id)),
      messageId: `webhook-${id}-${disabledAt.getTime()}@waymark`,
    });
  }
  await em.nativeUpdate(Webhook, { id, disabledAt }, { toldAt: raw('now()') });
}

async function mailFailing(em: EntityManager, mailer: Mailer, webhook: MailedWebhook): Promise<void> {
  const { id, email, url } = webhook;
  const failingSince = webhook.failingSince!;
  if (email !== null) {
    await mailer.send({
      to: email,
      subject: `Your webhook to ${new URL(url).host} is failing`,
      text: textOfFailing(webhook),
      messageId: `webhook-${id}-failing-${failingSince.getTime()}@waymark`,
    });
  }
  await em.nativeUpdate(Webhook, { id, failingSince }, { warnedAt: raw('now()') });
}

// Short lines: mail programs show plain text as it is.
function textOfFailing(webhook: MailedWebhook): string {
  const { id, consecutiveFailures: failures, failingSince } = webhook;
  return [
    `The webhook ${nameOf(webhook)}`,
    `has been failing since ${failingSince!.toISOString()}:`,
    `${Math.max(failures, failingFrom)} attempts in a row got no answer with a 2xx status.`,
    '',
    `Address: ${withoutQuery(webhook.url)}`,
    `Webhook: ${id}`,
    '',
    ...lastFailure(webhook),
    ...(webhook.isOffDue ? nextWhenOff : nextWhileFailing),
    '',
    ...(webhook.isOffDue ? [] : ['To send it a test event now:', `  POST /webhook/${id}/test`]),
    'The answers of your server are in',
    `  GET /webhook/${id}/deliveries`,
    '',
  ].join('\n');
}

const nextWhenOff = ['It has been turned off since; a second mail has the details.'];
const nextWhileFailing = [
  'No event is lost: events wait, and Waymark sends one of them as a',
  'probe from time to time. Once your server answers a probe with a',
  `2xx status, all of them are sent. After ${disabledFrom} failures in a row the`,
  `webhook is turned off.`,
];

function textOfTurnedOff(webhook: MailedWebhook, { held, since }: Missed): string {
  const { id } = webhook;
  const disabledAt = webhook.disabledAt!;
  const why =
    webhook.disabledReason === 'gone'
      ? 'Your server answered that the address is gone (410).'
      : `The last ${disabledFrom} attempts got no answer with a 2xx status.`;
  const waiting = held === 1 ? '1 event is held' : `${held} events are held`;
  return [
    `The webhook ${nameOf(webhook)}`,
    `was turned off at ${disabledAt.toISOString()}.`,
    '',
    `Address: ${withoutQuery(webhook.url)}`,
    `Webhook: ${id}`,
    '',
    why,
    ...lastFailure(webhook),
    'Waymark sends no more events there, and no event is lost:',
    held === 0 ? 'you can have the missed events sent later.' : `${waiting}, and you can have later ones sent too.`,
    '',
    'When your server works again, turn the webhook on:',
    `  PATCH /webhook/${id}`,
    '  {"isActive": true}',
    'and have the missed events sent:',
    `  POST /webhook/${id}/recover`,
    `  {"since": "${(since ?? disabledAt).toISOString()}"}`,
    'An earlier time, at most 30 days ago, sends older failed events too.',
    '',
    'The answers of your server are in',
    `  GET /webhook/${id}/deliveries`,
    '',
  ].join('\n');
}

function nameOf({ name, organization }: MailedWebhook): string {
  return `${name === null ? '' : `"${name}" `}of ${organization}`;
}

const quotedBodyCharacters = 200;

/** The end of the last failed attempt in words: an answer may have come that was not complete, or no HTTP. */
function lastFailure(webhook: MailedWebhook): string[] {
  const { lastFailureAt: at, lastFailureCode: code, lastFailureError: error, lastFailureBody: body } = webhook;
  if (at === null) return [];
  const when = `At ${at.toISOString()}`;
  if (code === null) return [`${when} an attempt failed:`, `  ${error ?? 'The reason is not known.'}`, ''];
  // One line, so that an answer cannot pass for a part of this mail.
  const begin = (body ?? '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, quotedBodyCharacters);
  return [
    `${when} your server last answered with status ${code}${begin === '' ? '.' : ':'}`,
    ...(begin === '' ? [] : [`  ${begin}`]),
    '',
  ];
}

/** The URL without its query, which may hold secrets of the receiver. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
