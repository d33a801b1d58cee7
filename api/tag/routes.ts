import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { createTag, deleteTag, updateTag } from '#commands/links/tags.ts';
import { foldCase } from '#core/lib/fold-case.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { listTags, readTag } from '#db/links/tags.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { errorResponses, idParamsSchema } from '#api/schemas.ts';
import { deletedSchema } from '#api/short-link/schema.ts';
import { createTagSchema, tagListQuerySchema, tagListSchema, tagSchema, patchTagSchema, presentTag } from './schema.ts';

const tags = ['Tags'];

/** Tags need the permission for short links (2.5). */
export const tagRoutes: FastifyPluginAsyncZod<ApiDependencies> = async (app, { db, clock }) => {
  app.post(
    '/tag',
    {
      config: { access: { resource: 'shortLinks', action: 'create' } },
      schema: {
        tags,
        summary: 'Create a tag',
        description: 'Names are unique without regard to case. A short link makes the tags that it names by itself.',
        body: createTagSchema,
        response: { 201: tagSchema, ...errorResponses(400, 404, 409) },
      },
    },
    async ({ actor, body, idempotent }, reply) => {
      const create = () =>
        db.transaction(async (tx) => {
          const made = await createTag(tx, actor, body, { now: clock() });
          await idempotent?.made(tx, made);
          return made;
        });
      const id = idempotent?.resourceId ?? (await create());
      return reply.code(201).send(presentTag(requireOwn(await readTag(db, id), actor, 'tag')));
    },
  );

  app.get(
    '/tag/list',
    {
      config: { access: { resource: 'shortLinks', action: 'read' } },
      schema: {
        tags,
        summary: 'List tags',
        description: 'Most recent first.',
        querystring: tagListQuerySchema,
        response: { 200: tagListSchema, ...errorResponses(400) },
      },
    },
    async ({ actor: { organizationId }, query: { search, ...paging } }) => {
      const { count, rows } = await listTags(db, { organizationId, ...paging, search: search && foldCase(search) });
      return { count, data: rows.map(presentTag) };
    },
  );

  app.get(
    '/tag/:id',
    {
      config: { access: { resource: 'shortLinks', action: 'read' } },
      schema: {
        tags,
        summary: 'Read a tag',
        params: idParamsSchema,
        response: { 200: tagSchema, ...errorResponses(400, 404) },
      },
    },
    async ({ actor, params: { id } }) => presentTag(requireOwn(await readTag(db, id), actor, 'tag')),
  );

  app.patch(
    '/tag/:id',
    {
      config: { access: { resource: 'shortLinks', action: 'update' } },
      schema: {
        tags,
        summary: 'Update a tag',
        description: 'Fields that are sent change, the others stay.',
        params: idParamsSchema,
        body: patchTagSchema,
        response: { 200: tagSchema, ...errorResponses(400, 404, 409) },
      },
    },
    async ({ actor, params: { id }, body: { name, color } }) => {
      await db.transaction((tx) => updateTag(tx, actor, id, { name, color }, { now: clock() }));
      return presentTag(requireOwn(await readTag(db, id), actor, 'tag'));
    },
  );

  app.delete(
    '/tag/:id',
    {
      config: { access: { resource: 'shortLinks', action: 'delete' } },
      schema: {
        tags,
        summary: 'Delete a tag',
        description: 'It is taken off its links.',
        params: idParamsSchema,
        response: { 200: deletedSchema, ...errorResponses(400, 404) },
      },
    },
    async ({ actor, params: { id } }) => {
      await db.transaction((tx) => deleteTag(tx, actor, id, { now: clock() }));
      return { rowCount: 1 };
    },
  );
};
