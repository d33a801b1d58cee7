import { createKey, revokeKey, rotateKey, updateKey } from '#commands/organizations/api-keys.ts';
import type { Actor } from '#core/audit/actor.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { rowContext } from '#core/secrets/sealing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ApiKey } from '#db/entities/accounts/people.ts';
import type { Routes } from '#api/dependencies.ts';
import { once } from '#api/plugins/idempotency.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import {
  apiKeyListQuerySchema,
  apiKeyListSchema,
  apiKeySchema,
  createApiKeySchema,
  createdKeySchema,
  patchApiKeySchema,
  presentApiKey,
  rotateApiKeySchema,
} from './schema.ts';

const sealPurpose = 'made API key';
const hourMs = 3_600_000;
// Time to deploy the new value.
const defaultOverlapHours = 24;
const grantNote =
  'Only user keys of owners and admins may have the permission apiKeys, and only owners and admins may grant it. A call by key may grant permissions of that key alone, no later expiresAt and no allowedAddresses beyond its own, and gives a wider limit only to keys that hold no more than it does, else the answer is 403 ACTION_NOT_ALLOWED.';

export const apiKeyRoutes: Routes = async (app, { keyUses, sealing, clock }) => {
  /** @throws AppError NOT_FOUND, FORBIDDEN. */
  async function read(em: EntityManager, actor: Actor, id: string) {
    // `lastUsedAt` is written in the background.
    await keyUses.flush();
    const held = await em.getRepository(ApiKey).read(id);
    requireOwn(held?.key, actor, 'API key');
    return presentApiKey(held!);
  }

  // Sealed, the value is recorded under an Idempotency-Key, so that a repeated call can show it.
  const seal = (id: string, key: string) => ({
    id,
    sealed: sealing.seal(sealPurpose, key, rowContext(id)).toString('base64'),
  });
  const open = ({ id, sealed }: ReturnType<typeof seal>): string =>
    sealing.open(sealPurpose, Buffer.from(sealed, 'base64'), rowContext(id)).toString();

  app.post('/api-key', {
    config: { access: { resource: 'apiKeys', action: 'create' }, confirmation: 'people with a second factor' },
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: `The value of the key is in this answer alone. ${grantNote}`,
      body: createApiKeySchema(clock),
      response: { 201: createdKeySchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, body, em } = request;
      const made = await once(request, async (em) => {
        const { organizationId, userId } = actor;
        const { type, ...fields } = body;
        const holder = type === 'user' ? { type, userId } : { type };
        const draft = { organizationId, ...fields, ...holder };
        const { key, value } = await createKey(em, draft, { now: clock(), grantedBy: actor });
        return seal(key.id, value);
      });
      return reply.code(201).send({ ...(await read(em, actor, made.id)), key: open(made) });
    },
  });

  app.get('/api-key/list', {
    config: { access: { resource: 'apiKeys', action: 'read' } },
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description: 'Most recent first.',
      querystring: apiKeyListQuerySchema,
      response: { 200: apiKeyListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query }) => {
      await keyUses.flush();
      const [rows, count] = await em.getRepository(ApiKey).list(organizationId, query);
      return { count, data: rows.map(presentApiKey) };
    },
  });

  app.get('/api-key/:id', {
    config: { access: { resource: 'apiKeys', action: 'read' } },
    schema: {
      operationId: 'getApiKey',
      summary: 'Read an API key',
      params: idParamsSchema,
      response: { 200: apiKeySchema, ...errorResponses(400, 404) },
    },
    handler: ({ actor, em, params }) => read(em, actor, params.id),
  });

  app.patch('/api-key/:id', {
    config: { access: { resource: 'apiKeys', action: 'update' }, confirmation: 'people with a second factor' },
    schema: {
      operationId: 'updateApiKey',
      summary: 'Update an API key',
      description: `Fields that are sent change, the others stay. The next call with the key follows the change. ${grantNote}`,
      params: idParamsSchema,
      body: patchApiKeySchema,
      response: { 200: apiKeySchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, body }) => {
      const { name, permissions, expiresAt, allowedAddresses, folderIds, domainIds } = body;
      const patch = { name, permissions, expiresAt, allowedAddresses, folderIds, domainIds };
      await em.transactional((em) => updateKey(em, actor, id, patch, clock()));
      return read(em, actor, id);
    },
  });

  app.post('/api-key/:id/rotate', {
    config: { access: { resource: 'apiKeys', action: 'update' }, confirmation: 'people with a second factor' },
    schema: {
      operationId: 'rotateApiKey',
      summary: 'Give an API key another value',
      description:
        'The new value is in this answer alone. The present one works for overlapHours, and one before it no longer; both count as one key. The key of a member is rotated by that member alone. A call by key may rotate keys that hold no more than it does, else the answer is 403 ACTION_NOT_ALLOWED.',
      params: idParamsSchema,
      body: rotateApiKeySchema,
      response: { 200: createdKeySchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request) => {
      const { actor, em, params, body } = request;
      const { id } = params;
      const { overlapHours = defaultOverlapHours } = body;
      const made = await once(request, async (em) => {
        const now = clock();
        const previousUntil = new Date(now.getTime() + overlapHours * hourMs);
        return seal(id, await rotateKey(em, actor, id, { previousUntil, now }));
      });
      return { ...(await read(em, actor, id)), key: open(made) };
    },
  });

  app.delete('/api-key/:id', {
    config: { access: { resource: 'apiKeys', action: 'delete' } },
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description: 'The next call with the key fails. This cannot be undone.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      await em.transactional((em) => revokeKey(em, actor, id));
      return { rowCount: 1 };
    },
  });
};
