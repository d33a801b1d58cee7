import { z } from 'zod';
import { recoverWebhook, redeliver, requireDelivery } from '#commands/webhooks/sends.ts';
import { requireWebhook, updateWebhook } from '#commands/webhooks/webhooks.ts';
import { idSchema } from '#core/links/draft.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Delivery, Webhook } from '#db/entities/webhooks.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { presentDelivery, presentDeliveryDetail, presentWebhook } from '#api/webhook/presenter.ts';
import { operating, reading, router } from '#api/staff/context.ts';
import { idInput, listShape, momentSchema, readPage } from '#api/staff/inputs.ts';

const webhookListInput = z.strictObject({ ...listShape, isFailing: z.boolean().optional() }).prefault({});

/** Webhooks of all organizations. No answer holds a signing secret. */
export const webhookTools = ({ workflows, webhookRetryGapsMs }: ApiDependencies) => {
  // Audited first: the signal is no part of the transaction.
  const signalling = (name: 'pause' | 'resume') =>
    operating.input(idInput).mutation(async ({ ctx, input: { id } }) => {
      const { organization, url } = await requireWebhook(ctx.em, 'staff', id);
      const organizationId = organization.id;
      await ctx.change(async () => ({ answer: null, organizationId, subjectId: id }));
      // Temporal's SDK is loaded at its first use.
      const { startOfWebhook } = await import('#workflows/webhook.ts');
      await workflows.signal(startOfWebhook({ id, organizationId, host: new URL(url).host }, name));
      return { id, isPaused: name === 'pause' };
    });

  return router({
    /** `search` looks in a webhook's address and name and in its organization's name; `isFailing` keeps failing webhooks, or the others. */
    list: reading.input(webhookListInput).query(({ ctx: { em }, input: { isFailing, ...input } }) =>
      readPage(input, (query) => em.getRepository(Webhook).listAll({ ...query, isFailing }), {
        present: (webhook) => ({ ...presentWebhook(webhook), organizationName: webhook.organization.name }),
        cursorOf: ({ id }) => id,
      }),
    ),

    /** Deliveries of a webhook. `search` is a status, an event type or an event id. */
    deliveries: reading
      .input(z.strictObject({ ...listShape, id: idSchema }))
      .query(async ({ ctx: { em }, input: { id, ...query } }) => {
        const { organization } = await requireWebhook(em, 'staff', id);
        const isElsewhere = query.organizationId !== undefined && query.organizationId !== organization.id;
        if (isElsewhere) return { items: [], nextCursor: null };
        return readPage(query, (page) => em.getRepository(Delivery).listAfter(id, page), {
          present: presentDelivery,
          cursorOf: (delivery) => delivery.id,
        });
      }),

    /** A delivery with its body and attempts; an attempt has a status and the start of the response, or an error. */
    delivery: reading
      .input(z.strictObject({ id: idSchema, deliveryId: idSchema }))
      .query(async ({ ctx: { em }, input: { id, deliveryId } }) => {
        await requireWebhook(em, 'staff', id);
        return presentDeliveryDetail(em, await requireDelivery(em, 'staff', id, deliveryId), webhookRetryGapsMs);
      }),

    /** Sends a delivery again, whatever its status. */
    redeliver: operating
      .input(z.strictObject({ id: idSchema, deliveryId: idSchema }))
      .mutation(({ ctx, input: { id, deliveryId } }) =>
        ctx.change(async (em) => {
          const delivery = await redeliver(em, 'staff', id, deliveryId);
          const organizationId = await ownerOf(em, id);
          return { answer: presentDelivery(delivery), organizationId, subjectId: id, details: { deliveryId } };
        }),
      ),

    /** Turns a webhook on and resets its failure count. Missed events are sent only by `recover`. */
    enable: operating.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (em, options) => {
        const webhook = await updateWebhook(em, 'staff', id, { isActive: true }, options);
        return { answer: presentWebhook(webhook), organizationId: webhook.organization.id, subjectId: id };
      }),
    ),

    /** Sends all deliveries since a moment that got no 2xx. */
    recover: operating
      .input(z.strictObject({ id: idSchema, since: momentSchema }))
      .mutation(({ ctx, input: { id, since } }) =>
        ctx.change(async (em, options) => {
          const range = await recoverWebhook(em, 'staff', id, since, options.now);
          const organizationId = await ownerOf(em, id);
          const shown = { since: range.since.toISOString(), until: range.until.toISOString() };
          return { answer: shown, organizationId, subjectId: id, details: shown };
        }),
      ),

    /** Stops new sends by the webhook's workflow; events wait meanwhile. */
    pause: signalling('pause'),

    /** Ends a pause. */
    resume: signalling('resume'),
  });
};

async function ownerOf(em: EntityManager, id: string): Promise<string> {
  return (await requireWebhook(em, 'staff', id)).organization.id;
}
