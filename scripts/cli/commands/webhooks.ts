import { z } from 'zod';
import { createWorkflows } from '#adapters/temporal/workflows.ts';
import { recoverWebhook, redeliver } from '#commands/webhooks/sends.ts';
import { requireWebhook, updateWebhook } from '#commands/webhooks/webhooks.ts';
import { deliveryStatuses, failingFrom } from '#core/webhooks/standing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Delivery, Webhook } from '#db/entities/webhooks.ts';
import { startOfWebhook } from '#workflows/starts.ts';
import { type CommandContext, defineCommand, type Outcome } from '#scripts/cli/command.ts';
import { idSchema, limitOption, limitSchema } from '#scripts/cli/values.ts';
import { moment, table } from '#scripts/cli/output.ts';

const webhookOption = { value: 'ID', required: true, about: 'The webhook.' };

/** `webhooks list` */
export const listWebhooksCommand = defineCommand({
  name: 'webhooks list',
  about: 'Show webhooks with their state, the most recent first.',
  isAudited: 'ifPossible',
  options: {
    org: { value: 'ID', about: 'Only of this organization.' },
    failing: { about: 'Only webhooks that fail, or that their failures turned off.' },
    search: { value: 'TEXT', about: 'Only webhooks whose address or name contains this text.' },
    limit: limitOption,
  },
  schema: z.strictObject({
    org: idSchema.optional(),
    failing: z.boolean().default(false),
    search: z.string().min(1).optional(),
    limit: limitSchema,
  }),
  run: ({ org, failing: isFailing, search, limit }, context) =>
    context.withEntities(async (em) => {
      const found = await em.getRepository(Webhook).listAll({ organizationId: org, search, limit, isFailing });
      const rows = await em.populate(found, ['organization']);
      const webhooks = rows.map((row) => ({
        id: row.id,
        organizationId: row.organization.id,
        organizationName: row.organization.name,
        name: row.name ?? null,
        state: stateOf(row),
        url: row.url,
        events: row.events,
        isActive: row.isActive,
        consecutiveFailures: row.consecutiveFailures,
        lastFailureAt: row.lastFailureAt ?? null,
        disabledAt: row.disabledAt ?? null,
        disabledReason: row.disabledReason ?? null,
      }));
      const lines = webhooks.map((webhook) => [
        webhook.id,
        webhook.organizationName,
        `${webhook.state}${webhook.isActive || webhook.disabledReason === null ? '' : ` (${webhook.disabledReason})`}`,
        String(webhook.consecutiveFailures),
        moment(webhook.lastFailureAt),
        webhook.url,
      ]);
      const head = ['Id', 'Organization', 'State', 'Failures', 'Last failure', 'Address'];
      return { json: { webhooks }, text: webhooks.length === 0 ? 'There are none.' : table([head, ...lines]) };
    }),
});

function stateOf({ isActive, isPaused, consecutiveFailures }: Webhook): 'on' | 'failing' | 'paused' | 'off' {
  if (!isActive) return 'off';
  if (isPaused) return 'paused';
  return consecutiveFailures >= failingFrom ? 'failing' : 'on';
}

/** `webhooks deliveries` */
export const listDeliveriesCommand = defineCommand({
  name: 'webhooks deliveries',
  about: 'Show the deliveries of a webhook, sent and pending, the most recent first.',
  isAudited: 'ifPossible',
  options: {
    webhook: webhookOption,
    status: { value: deliveryStatuses.join('|'), about: 'Only deliveries in this state.' },
    limit: limitOption,
  },
  schema: z.strictObject({
    webhook: idSchema,
    status: z.enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`).optional(),
    limit: limitSchema,
  }),
  run: ({ webhook, status, limit }, context) =>
    context.withEntities(async (em) => {
      await requireWebhook(em, 'staff', webhook);
      const [rows, count] = await em.getRepository(Delivery).list(webhook, { status, limit, page: 0 });
      const deliveries = rows.map((row) => ({
        id: row.id,
        eventId: row.event.id,
        type: row.type,
        status: row.status,
        responseCode: row.responseCode ?? null,
        attempts: row.attempts,
        createdAt: row.createdAt,
        nextAttemptAt: row.nextAttemptAt(),
      }));
      const lines = deliveries.map((row) => [
        row.id,
        row.type,
        row.status,
        String(row.responseCode ?? '-'),
        String(row.attempts),
        moment(row.createdAt),
        moment(row.nextAttemptAt),
      ]);
      const head = ['Id', 'Event', 'Status', 'Answer', 'Attempts', 'Since', 'Next attempt'];
      const text = count === 0 ? 'There are none.' : `${table([head, ...lines])}\n\n${rows.length} of ${count}`;
      return { json: { count, deliveries }, text };
    }),
});

/** `webhooks redeliver` */
export const redeliverCommand = defineCommand({
  name: 'webhooks redeliver',
  about: 'Send one delivery again, delivered or failed: the same event, id and bytes. The webhook must be on.',
  isAudited: true,
  options: { webhook: webhookOption, delivery: { value: 'ID', required: true, about: 'The delivery.' } },
  schema: z.strictObject({ webhook: idSchema, delivery: idSchema }),
  run: ({ webhook, delivery }, context) =>
    context.withEntities(async (em) => {
      await em.transactional((em) => redeliver(em, 'staff', webhook, delivery));
      const text = 'The delivery is sent again.';
      return { json: { webhookId: webhook, deliveryId: delivery }, text, subject: await subjectOf(em, webhook) };
    }),
});

/** `webhooks enable` */
export const enableWebhookCommand = defineCommand({
  name: 'webhooks enable',
  about: 'Turn a webhook on and reset its count of failures. `webhooks recover` sends the events that it missed.',
  isAudited: true,
  options: { webhook: webhookOption },
  schema: z.strictObject({ webhook: idSchema }),
  run: ({ webhook }, context) =>
    context.withEntities(async (em) => {
      const now = new Date();
      await em.transactional((em) => updateWebhook(em, 'staff', webhook, { isActive: true }, { now }));
      return { json: { webhookId: webhook }, text: 'The webhook is on.', subject: await subjectOf(em, webhook) };
    }),
});

/** `webhooks pause` */
export const pauseWebhookCommand = defineCommand({
  name: 'webhooks pause',
  about: 'Pause a webhook for minutes or hours: no further request begins, and new deliveries wait.',
  isAudited: true,
  options: { webhook: webhookOption },
  schema: z.strictObject({ webhook: idSchema }),
  run: ({ webhook }, context) =>
    signal(context, webhook, 'pause', 'The webhook is paused until you run webhooks resume.'),
});

/** `webhooks resume` */
export const resumeWebhookCommand = defineCommand({
  name: 'webhooks resume',
  about: 'End the pause of a webhook: waiting deliveries are sent.',
  isAudited: true,
  options: { webhook: webhookOption },
  schema: z.strictObject({ webhook: idSchema }),
  run: ({ webhook }, context) => signal(context, webhook, 'resume', 'The webhook is no longer paused.'),
});

/** `webhooks recover` */
export const recoverWebhookCommand = defineCommand({
  name: 'webhooks recover',
  about: 'Send a webhook all events that it missed or did not answer with a 2xx. The webhook must be on.',
  isAudited: true,
  options: {
    webhook: webhookOption,
    since: {
      value: 'ISO',
      required: true,
      about: 'Time of the oldest event, such as 2026-03-14T15:00:00Z; at most 30 days ago.',
    },
  },
  schema: z.strictObject({
    webhook: idSchema,
    since: z.iso
      .datetime({ offset: true, error: 'must be a moment like 2026-03-14T15:00:00Z' })
      .transform((moment) => new Date(moment)),
  }),
  run: ({ webhook, since: asked }, context) =>
    context.withEntities(async (em) => {
      const { since, until } = await em.transactional((em) =>
        recoverWebhook(em, 'staff', webhook, asked, { now: new Date() }),
      );
      const text = `The events that the webhook missed from ${since.toISOString()} to ${until.toISOString()} are being sent.`;
      return { json: { since, until }, text, subject: { id: webhook } };
    }),
});

async function subjectOf(em: EntityManager, id: string) {
  const webhook = await em.findOne(Webhook, { id });
  return webhook === null ? { id } : { id, organizationId: webhook.organization.id };
}

async function signal(context: CommandContext, id: string, name: 'pause' | 'resume', text: string): Promise<Outcome> {
  const { organization, url } = await context.withEntities((em) => requireWebhook(em, 'staff', id));
  const start = startOfWebhook({ id, organizationId: organization.id, host: new URL(url).host }, name);
  await context.withTemporal((client, queue) => createWorkflows({ client, ...queue }).signal(start));
  const subject = { id, organizationId: organization.id };
  return { json: { webhookId: id, isPaused: name === 'pause' }, text, subject };
}
