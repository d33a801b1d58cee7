import { z } from 'zod';
import { recoverWebhook } from '#commands/webhooks/sends.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { idSchema } from '#scripts/cli/values.ts';

const webhookOption = { value: 'ID', required: true, about: 'The webhook.' };

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
      const { since, until } = await em.transactional((em) => recoverWebhook(em, 'staff', webhook, asked, new Date()));
      const text = `The events that the webhook missed from ${since.toISOString()} to ${until.toISOString()} are being sent.`;
      return { json: { since, until }, text, subject: { id: webhook } };
    }),
});
