import { recoverWebhook, redeliver, requireDelivery, sendTest } from '#commands/webhooks/sends.ts';
import { requireWebhook } from '#commands/webhooks/webhooks.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Delivery } from '#db/entities/webhooks.ts';
import type { Routes } from '#api/dependencies.ts';
import { byCreation, pageOf } from '#api/cursor.ts';
import { once } from '#api/plugins/idempotency.ts';
import { nothingSchema } from '#api/plugins/validation.ts';
import { errorResponses, idParamsSchema } from '#api/schemas.ts';
import { presentDelivery, presentDeliveryDetail } from './presenter.ts';
import {
  deliveryDetailSchema,
  deliveryListQuerySchema,
  deliveryListSchema,
  deliveryParamsSchema,
  deliverySchema,
  recoverBodySchema,
  recoverySchema,
  testBodySchema,
} from './deliveries-schema.ts';

export const deliveryRoutes: Routes = async (app, { clock, site, webhookRetryGapsMs }) => {
  app.get('/webhook/:id/deliveries', {
    config: { access: { resource: 'webhooks', action: 'read' } },
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'List the deliveries of a webhook',
      description: 'Most recent first, filtered by every given parameter. They are kept for 30 days.',
      params: idParamsSchema,
      querystring: deliveryListQuerySchema,
      response: { 200: deliveryListSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id }, query: { cursor: after, ...query } }) => {
      await requireWebhook(em, actor, id);
      const [found, count] = await em.getRepository(Delivery).list(id, { ...query, after });
      const { rows, nextCursor } = pageOf(found, query.limit, byCreation);
      return { count, data: rows.map(presentDelivery), nextCursor };
    },
  });

  app.get('/webhook/:id/deliveries/:deliveryId', {
    config: { access: { resource: 'webhooks', action: 'read' } },
    schema: {
      operationId: 'getWebhookDelivery',
      summary: 'Read a delivery with its attempts',
      params: deliveryParamsSchema,
      response: { 200: deliveryDetailSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id, deliveryId } }) => {
      await requireWebhook(em, actor, id);
      return presentDeliveryDetail(em, await requireDelivery(em, actor, id, deliveryId), webhookRetryGapsMs);
    },
  });

  app.post('/webhook/:id/deliveries/:deliveryId/redeliver', {
    config: { access: { resource: 'webhooks', action: 'update' } },
    schema: {
      operationId: 'redeliverWebhookDelivery',
      summary: 'Send a delivery again',
      description:
        'Sent at once, with the same id and bytes, and with all attempts if it fails. A delivery that is being sent at this moment is sent again afterwards.',
      params: deliveryParamsSchema,
      body: nothingSchema,
      response: { 200: deliverySchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request) => {
      const { actor, em, params } = request;
      const { id, deliveryId } = params;
      await once(request, async (em) => {
        await redeliver(em, actor, id, deliveryId);
        return deliveryId;
      });
      return presentDelivery(await requireDelivery(em, actor, id, deliveryId));
    },
  });

  app.post('/webhook/:id/test', {
    config: { access: { resource: 'webhooks', action: 'update' } },
    schema: {
      operationId: 'testWebhook',
      summary: 'Send a webhook a test event',
      description:
        'Without a type the event is webhook.test, which needs no subscription; its data is {webhook: {id}}. With a type it is a sample of that type: its data has the documented shape, names a link, domain or import that does not exist, and its body says isTest: true. Only this webhook gets it, whatever its events and scope.',
      params: idParamsSchema,
      body: testBodySchema,
      response: { 200: deliverySchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request) => {
      const { actor, em, params, body } = request;
      const { type } = body;
      const send = async (em: EntityManager) => (await sendTest(em, actor, params.id, { type, site, now: clock() })).id;
      return presentDelivery(await requireDelivery(em, actor, params.id, await once(request, send)));
    },
  });

  app.post('/webhook/:id/recover', {
    config: { access: { resource: 'webhooks', action: 'update' } },
    schema: {
      operationId: 'recoverWebhookEvents',
      summary: 'Send a webhook the events that it missed',
      description:
        'Sends all events since a moment that the endpoint has not answered with 2xx: failed events, held events, and events that happened while the webhook was off. They are sent in small batches. A second call while a recovery is under way starts it again, from the earlier of the two moments.',
      params: idParamsSchema,
      body: recoverBodySchema(clock),
      response: { 200: recoverySchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request) => {
      const { actor, params, body } = request;
      return once(request, async (em) => {
        const { since, until } = await recoverWebhook(em, actor, params.id, body.since, clock());
        return { since: since.toISOString(), until: until.toISOString() };
      });
    },
  });
};
