import { GuardedHttpError } from '#adapters/http/guarded-http.ts';
import {
  createWebhook,
  deleteWebhook,
  requireWebhook,
  rotateSecret,
  updateWebhook,
} from '#commands/webhooks/webhooks.ts';
import type { Actor } from '#core/audit/actor.ts';
import { invalidFields, type Issue } from '#core/errors/errors.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { reservedHeaderIssues, type WebhookHeaders } from '#core/webhooks/headers.ts';
import { openWebhookSecret } from '#core/webhooks/signing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Delivery, Webhook } from '#db/entities/webhooks.ts';
import { byCreation, pageOf } from '#api/cursor.ts';
import type { Routes } from '#api/dependencies.ts';
import { nothingSchema } from '#api/plugins/validation.ts';
import { once } from '#api/plugins/idempotency.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import { deliveryRoutes } from './deliveries-routes.ts';
import { eventRoutes } from './events-routes.ts';
import { presentOutlook, presentWebhook } from './presenter.ts';
import {
  createWebhookSchema,
  patchWebhookSchema,
  webhookListQuerySchema,
  webhookListSchema,
  webhookOutlookSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from './schema.ts';

const dayMs = 86_400_000;

interface Sendable {
  url: string | undefined;
  headers: WebhookHeaders | null | undefined;
}

export const webhookRoutes: Routes = async (app, deps) => {
  const { sealing, http, clock, shares } = deps;
  await app.register(deliveryRoutes, deps);
  await app.register(eventRoutes, deps);

  /** The webhook with its secret. Only the answers of a create and a rotation hold it. */
  async function readWithSecret(em: EntityManager, actor: Actor, id: string) {
    const webhook = requireOwn(await em.getRepository(Webhook).findWithSecret(id), actor, 'webhook');
    return { ...presentWebhook(webhook), secret: openWebhookSecret(sealing, id, webhook.secretSealed) };
  }

  async function urlIssues(url: string): Promise<Issue[]> {
    try {
      await http.checkUrl(url);
      return [];
    } catch (error) {
      if (error instanceof GuardedHttpError) return [{ path: 'url', message: error.message }];
      throw error;
    }
  }

  /**
   * Called outside of transactions: a name server may take seconds.
   * @throws AppError VALIDATION_ERROR for an address that may not be called, and for headers that the requests have themselves.
   */
  async function requireSendable({ url, headers }: Sendable): Promise<void> {
    const issues = [
      ...(url === undefined ? [] : await urlIssues(url)),
      ...reservedHeaderIssues(headers, deps.webhookSignatureHeader).map(({ path, message }) => ({
        path: path.join('.'),
        message,
      })),
    ];
    if (issues.length > 0) throw invalidFields(issues);
  }

  app.post('/webhook', {
    config: { access: { resource: 'webhooks', action: 'create' }, versioned: true },
    schema: {
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'From then on the webhook gets the events that it subscribes to. Only this answer, and the answer of rotate-secret, show a secret, which signs the events.',
      body: createWebhookSchema(deps.webhookSignatureHeader),
      response: { 201: webhookWithSecretSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, em, idempotent } = request;
      const { url, events, name = null, scope = null, headers, maxPerSecond = null } = request.body;
      if (!idempotent?.earlier) await requireSendable({ url, headers });
      const draft = { url, events, name, scope, headers: headers ?? {}, maxPerSecond };
      const id = await once(
        request,
        async (em) => (await createWebhook(em, actor, draft, { sealing, now: clock() })).id,
      );
      return reply.code(201).send(await readWithSecret(em, actor, id));
    },
  });

  app.get('/webhook/list', {
    config: { access: { resource: 'webhooks', action: 'read' } },
    schema: {
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Most recent first.',
      querystring: webhookListQuerySchema,
      response: { 200: webhookListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query: { cursor: after, ...query } }) => {
      const [found, count] = await em.getRepository(Webhook).list(organizationId, { ...query, after });
      const { rows, nextCursor } = pageOf(found, query.limit, byCreation);
      return { count, data: rows.map(presentWebhook), nextCursor };
    },
  });

  app.get('/webhook/:id', {
    config: { access: { resource: 'webhooks', action: 'read' }, versioned: true },
    schema: {
      operationId: 'getWebhook',
      summary: 'Read a webhook',
      params: idParamsSchema,
      response: { 200: webhookSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params }) => presentWebhook(await requireWebhook(em, actor, params.id)),
  });

  app.get('/webhook/:id/outlook', {
    config: { access: { resource: 'webhooks', action: 'read' } },
    schema: {
      operationId: 'getWebhookOutlook',
      summary: 'Read how a webhook does, and what comes next',
      description:
        'Its state, deliveries that wait, the next attempt or probe, its last failure, and the last 24 hours.',
      params: idParamsSchema,
      response: { 200: webhookOutlookSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      const webhook = await requireWebhook(em, actor, id);
      const now = clock();
      const since = new Date(now.getTime() - dayMs);
      const deliveries = em.getRepository(Delivery);
      const summary = await shares.heavyReads(actor.organizationId, () => deliveries.summarize(id, since));
      return presentOutlook(webhook, summary, now);
    },
  });

  app.patch('/webhook/:id', {
    config: { access: { resource: 'webhooks', action: 'update' }, versioned: true },
    schema: {
      operationId: 'updateWebhook',
      summary: 'Update a webhook',
      description:
        'Fields that are sent change, the others stay. Turning a webhook off holds its pending deliveries. Turning it on resets its failures and sends no missed event: recover does that. A pause (isPaused) keeps deliveries waiting, and its end sends them.',
      params: idParamsSchema,
      body: patchWebhookSchema(deps.webhookSignatureHeader),
      response: { 200: webhookSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, body, ifMatch }) => {
      const { url, headers } = body;
      await requireSendable({ url, headers });
      const { events, name, scope, maxPerSecond, isPaused, isActive } = body;
      const plain = { url, events, name, scope, maxPerSecond, isPaused, isActive };
      const patch = { ...plain, headers: headers === null ? {} : headers };
      const change = (em: EntityManager) => updateWebhook(em, actor, id, patch, { sealing, now: clock(), ifMatch });
      return presentWebhook(await em.transactional(change));
    },
  });

  app.delete('/webhook/:id', {
    config: { access: { resource: 'webhooks', action: 'delete' }, versioned: true },
    schema: {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'The webhook gets no more events, except by requests that have begun. This cannot be undone.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, ifMatch }) => {
      await em.transactional((em) => deleteWebhook(em, actor, id, { now: clock(), ifMatch }));
      return { rowCount: 1 };
    },
  });

  app.post('/webhook/:id/rotate-secret', {
    config: { access: { resource: 'webhooks', action: 'update' }, versioned: true },
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook another secret',
      description:
        'For 24 hours the earlier secret signs too. Another call within them ends that secret at once: only the last two sign.',
      params: idParamsSchema,
      body: nothingSchema,
      response: { 200: webhookWithSecretSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request) => {
      const { actor, em, params, ifMatch } = request;
      const { id } = params;
      await once(request, async (em) => {
        await rotateSecret(em, actor, id, { sealing, now: clock(), ifMatch });
        return id;
      });
      return readWithSecret(em, actor, id);
    },
  });
};
