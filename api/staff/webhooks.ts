import { z } from 'zod';
import { recoverWebhook, redeliver, requireDelivery } from '#commands/webhooks/sends.ts';
import { updateWebhook } from '#commands/webhooks/webhooks.ts';
import { AppError } from '#core/errors/errors.ts';
import { idSchema } from '#core/links/draft.ts';
import { startOfWebhook, type WebhookTarget } from '#workflows/starts.ts';
import type { Sql } from '#db/connection/database.ts';
import { readAttempts, readDelivery } from '#db/webhooks/deliveries.ts';
import { listAllWebhooks, listDeliveriesAfter } from '#db/organizations/staff-lists.ts';
import { readWebhook, type WebhookRow } from '#db/webhooks/webhooks.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { presentDelivery, presentDeliveryDetail, presentWebhook } from '#api/webhook/presenter.ts';
import { changing, reading, router } from './context.ts';
import { idInput, listInput, listShape, readPage } from './inputs.ts';

/** Webhooks of all organizations. No answer holds a signing secret. */
export const webhookTools = ({ db, workflows }: ApiDependencies) =>
  router({
    list: reading
      .input(listInput)
      .query(({ input }) =>
        readPage(input, (query) => listAllWebhooks(db, query), { present: presentWebhook, cursorOf: ({ id }) => id }),
      ),

    /** Deliveries of a webhook. `search` is a status, an event type or an event id. */
    deliveries: reading
      .input(z.strictObject({ ...listShape, id: idSchema }))
      .query(async ({ input: { id, ...query } }) => {
        const webhook = await requireWebhook(db, id);
        const isElsewhere = query.organizationId !== undefined && query.organizationId !== webhook.organizationId;
        if (isElsewhere) return { items: [], nextCursor: null };
        return readPage(query, (page) => listDeliveriesAfter(db, id, page), {
          present: presentDelivery,
          cursorOf: (delivery) => delivery.id,
        });
      }),

    /** A delivery with its body and attempts; an attempt has a status and the start of the response, or an error. */
    delivery: reading
      .input(z.strictObject({ id: idSchema, deliveryId: idSchema }))
      .query(async ({ input: { id, deliveryId } }) => {
        await requireWebhook(db, id);
        const delivery = await requireDelivery(db, 'staff', id, deliveryId);
        return presentDeliveryDetail(delivery, await readAttempts(db, deliveryId));
      }),

    /** Sends a delivery again, whatever its status. */
    redeliver: changing
      .input(z.strictObject({ id: idSchema, deliveryId: idSchema }))
      .mutation(({ ctx, input: { id, deliveryId } }) =>
        ctx.change(async (tx) => {
          await redeliver(tx, 'staff', id, deliveryId);
          const { organizationId } = await requireWebhook(tx, id);
          const delivery = (await readDelivery(tx, id, deliveryId))!;
          return { answer: presentDelivery(delivery), organizationId, subjectId: id, details: { deliveryId } };
        }),
      ),

    /** Turns a webhook on and resets its failure count. Missed events are sent only by `recover`. */
    enable: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (tx, options) => {
        await updateWebhook(tx, 'staff', id, { isActive: true }, options);
        const webhook = await requireWebhook(tx, id);
        return { answer: presentWebhook(webhook), organizationId: webhook.organizationId, subjectId: id };
      }),
    ),

    /** Sends all deliveries since a moment that got no 2xx. */
    recover: changing
      .input(z.strictObject({ id: idSchema, since: momentSchema }))
      .mutation(({ ctx, input: { id, since } }) =>
        ctx.change(async (tx, options) => {
          const range = await recoverWebhook(tx, 'staff', id, since, options);
          const { organizationId } = await requireWebhook(tx, id);
          const shown = { since: range.since.toISOString(), until: range.until.toISOString() };
          return { answer: shown, organizationId, subjectId: id, details: shown };
        }),
      ),

    /** Stops new sends by the webhook's workflow; events wait meanwhile. Audited first: the signal is no part of the transaction. */
    pause: changing.input(idInput).mutation(async ({ ctx, input: { id } }) => {
      const target = await requireTarget(db, id);
      await ctx.change(async () => ({ answer: null, organizationId: target.organizationId, subjectId: id }));
      await workflows.signal(startOfWebhook(target, 'pause'));
      return { id, isPaused: true };
    }),

    /** Ends a pause. */
    resume: changing.input(idInput).mutation(async ({ ctx, input: { id } }) => {
      const target = await requireTarget(db, id);
      await ctx.change(async () => ({ answer: null, organizationId: target.organizationId, subjectId: id }));
      await workflows.signal(startOfWebhook(target, 'resume'));
      return { id, isPaused: false };
    }),
  });

/** The start arguments of a webhook's workflow. @throws AppError NOT_FOUND. */
async function requireTarget(sql: Sql, id: string): Promise<WebhookTarget> {
  const { organizationId, url } = await requireWebhook(sql, id);
  return { id, organizationId, host: new URL(url).host };
}

const momentSchema = z.iso
  .datetime({ offset: true, error: 'must be a moment like 2026-03-14T15:00:00Z' })
  .transform((moment) => new Date(moment));

/** @throws AppError NOT_FOUND. */
async function requireWebhook(sql: Sql, id: string): Promise<WebhookRow> {
  const webhook = await readWebhook(sql, id);
  if (webhook === undefined) throw new AppError('NOT_FOUND', 'This webhook does not exist.');
  return webhook;
}
