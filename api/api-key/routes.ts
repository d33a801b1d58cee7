import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { createKey, revokeKey, updateKey } from '#commands/organizations/api-keys.ts';
import type { Actor } from '#core/organizations/actor.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { rowContext } from '#core/secrets/sealing.ts';
import { listApiKeys, readApiKey } from '#db/organizations/api-keys.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { errorResponses, idParamsSchema } from '#api/schemas.ts';
import { deletedSchema } from '#api/short-link/schema.ts';
import {
  apiKeyListQuerySchema,
  apiKeyListSchema,
  apiKeySchema,
  createApiKeySchema,
  createdKeySchema,
  patchApiKeySchema,
  presentApiKey,
} from './schema.ts';

const tags = ['API keys'];
const sealPurpose = 'made API key';
const grantNote =
  'The permission apiKeys is for the user keys of owners and admins alone, and only they may grant it. A key grants no more than it holds itself, else the answer is 403 ACTION_NOT_ALLOWED.';

/** A created key as recorded under an Idempotency-Key, so that a repeated call can show it. */
interface MadeKey {
  id: string;
  /** The key, sealed, base64. */
  sealed: string;
}

export const apiKeyRoutes: FastifyPluginAsyncZod<ApiDependencies> = async (app, { db, keys, sealing, clock }) => {
  /** @throws AppError NOT_FOUND, FORBIDDEN. */
  async function read(actor: Actor, id: string) {
    // `lastUsedAt` is written in the background.
    await keys.flush();
    return presentApiKey(requireOwn(await readApiKey(db, id), actor, 'API key'));
  }

  app.post(
    '/api-key',
    {
      config: { access: { resource: 'apiKeys', action: 'create' } },
      schema: {
        tags,
        summary: 'Create an API key',
        description: `The key itself is in this answer and nowhere else. ${grantNote}`,
        body: createApiKeySchema,
        response: { 201: createdKeySchema, ...errorResponses(400, 404, 409) },
      },
    },
    async ({ actor, body, idempotent }, reply) => {
      const create = () =>
        db.transaction(async (tx) => {
          const { organizationId, userId } = actor;
          const { type, name, permissions } = body;
          const holder = type === 'user' ? { type, userId } : { type };
          const draft = { organizationId, name, permissions, ...holder };
          const { id, key } = await createKey(tx, draft, { now: clock(), grantedBy: actor });
          const sealed = sealing.seal(sealPurpose, key, rowContext(id)).toString('base64');
          await idempotent?.made(tx, { id, sealed } satisfies MadeKey);
          return { id, key };
        });
      const open = ({ id, sealed }: MadeKey) => ({
        id,
        key: sealing.open(sealPurpose, Buffer.from(sealed, 'base64'), rowContext(id)).toString(),
      });
      const made = idempotent?.results as MadeKey | null | undefined;
      const { id, key } = made ? open(made) : await create();
      const record = await read(actor, id);
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...record, key });
    },
  );

  app.get(
    '/api-key/list',
    {
      config: { access: { resource: 'apiKeys', action: 'read' } },
      schema: {
        tags,
        summary: 'List API keys',
        description: 'Most recent first.',
        querystring: apiKeyListQuerySchema,
        response: { 200: apiKeyListSchema, ...errorResponses(400) },
      },
    },
    async ({ actor: { organizationId }, query: { search, ...paging } }) => {
      await keys.flush();
      const { count, rows } = await listApiKeys(db, { organizationId, ...paging, search });
      return { count, data: rows.map(presentApiKey) };
    },
  );

  app.get(
    '/api-key/:id',
    {
      config: { access: { resource: 'apiKeys', action: 'read' } },
      schema: {
        tags,
        summary: 'Read an API key',
        params: idParamsSchema,
        response: { 200: apiKeySchema, ...errorResponses(400, 404) },
      },
    },
    ({ actor, params }) => read(actor, params.id),
  );

  app.patch(
    '/api-key/:id',
    {
      config: { access: { resource: 'apiKeys', action: 'update' } },
      schema: {
        tags,
        summary: 'Update an API key',
        description: `Fields that are sent change, the others stay. It is in force with the next call. ${grantNote}`,
        params: idParamsSchema,
        body: patchApiKeySchema,
        response: { 200: apiKeySchema, ...errorResponses(400, 404) },
      },
    },
    async ({ actor, params: { id }, body: { name, permissions } }) => {
      await db.transaction((tx) => updateKey(tx, actor, id, { name, permissions }));
      return read(actor, id);
    },
  );

  app.delete(
    '/api-key/:id',
    {
      config: { access: { resource: 'apiKeys', action: 'delete' } },
      schema: {
        tags,
        summary: 'Revoke an API key',
        description: 'The next call with it fails. It cannot be undone.',
        params: idParamsSchema,
        response: { 200: deletedSchema, ...errorResponses(400, 404) },
      },
    },
    async ({ actor, params: { id } }) => {
      await db.transaction((tx) => revokeKey(tx, actor, id));
      return { rowCount: 1 };
    },
  );
};
