import { z } from 'zod';
import { recoverWebhook } from '../../commands/webhook-sends.ts';
import { channels, notify } from '../../db/notify.ts';
import { defineCommand } from './command.ts';
import { idSchema } from './values.ts';

/** `webhooks recover` */
export const recoverWebhookCommand = defineCommand({
  name: 'webhooks recover',
  about: 'Send a webhook, which is on, all events that it has missed or answered with no 2xx.',
  isAudited: true,
  options: {
    webhook: { value: 'ID', required: true, about: 'The webhook.' },
    since: { value: 'ISO', required: true, about: 'From when on, such as 2026-03-14T15:00:00Z; at most 30 days back.' },
  },
  schema: z.strictObject({
    webhook: idSchema,
    since: z.iso
      .datetime({ offset: true, error: 'must be a moment like 2026-03-14T15:00:00Z' })
      .transform((moment) => new Date(moment)),
  }),
  run: ({ webhook, since: asked }, context) =>
    context.withDatabase(async (db) => {
      const { since, until } = await db.transaction((tx) =>
        recoverWebhook(tx, 'staff', webhook, asked, { now: new Date() }),
      );
      await notify(db, channels.outbox);
      const text = `The webhook is being sent what it has missed from ${since.toISOString()} to ${until.toISOString()}.`;
      return { json: { since, until }, text, subject: { id: webhook } };
    }),
});
