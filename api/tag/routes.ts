import { createTag, deleteTag, updateTag } from '#commands/labels/tags.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { Tag } from '#db/entities/links/links.ts';
import { byCreation, pageOf } from '#api/cursor.ts';
import { countOf } from '#api/link-counts.ts';
import { once } from '#api/plugins/idempotency.ts';
import { labelListQuerySchema } from '#api/query.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { createTagSchema, tagListSchema, tagSchema, patchTagSchema, presentTag } from './schema.ts';

/** Tags need the permission for short links. */
export const tagRoutes: Routes = async (app, { clock, shares }) => {
  app.post('/tag', {
    config: { access: { resource: 'shortLinks', action: 'create' } },
    schema: {
      operationId: 'createTag',
      summary: 'Create a tag',
      description: 'Names are unique without regard to case. Unknown tags that a short link names are created with it.',
      body: createTagSchema,
      response: { 201: tagSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, body, em } = request;
      const id = await once(request, async (em) => (await createTag(em, actor, body, clock())).id);
      return reply.code(201).send(presentTag(requireOwn(await em.findOne(Tag, { id }), actor, 'tag')));
    },
  });

  app.get('/tag/list', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'listTags',
      summary: 'List tags',
      description: 'Most recent first.',
      querystring: labelListQuerySchema,
      response: { 200: tagListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query: { withCounts, cursor: after, ...query } }) => {
      const tags = em.getRepository(Tag);
      const [found, count] = await tags.list(organizationId, { ...query, after });
      const { rows, nextCursor } = pageOf(found, query.limit, byCreation);
      const ids = rows.map(({ id }) => id);
      const links =
        withCounts === true ? await shares.heavyReads(organizationId, () => tags.countLinks(ids)) : undefined;
      return { count, data: rows.map((row) => ({ ...presentTag(row), ...countOf(links, row.id) })), nextCursor };
    },
  });

  app.get('/tag/:id', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'getTag',
      summary: 'Read a tag',
      params: idParamsSchema,
      response: { 200: tagSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) =>
      presentTag(requireOwn(await em.findOne(Tag, { id }), actor, 'tag')),
  });

  app.patch('/tag/:id', {
    config: { access: { resource: 'shortLinks', action: 'update' } },
    schema: {
      operationId: 'updateTag',
      summary: 'Update a tag',
      description: 'Fields that are sent change, the others stay.',
      params: idParamsSchema,
      body: patchTagSchema,
      response: { 200: tagSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, body: { name, color } }) =>
      presentTag(await em.transactional((em) => updateTag(em, actor, id, { name, color }, clock()))),
  });

  app.delete('/tag/:id', {
    config: { access: { resource: 'shortLinks', action: 'delete' } },
    schema: {
      operationId: 'deleteTag',
      summary: 'Delete a tag',
      description: 'Its links lose it.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      await em.transactional((em) => deleteTag(em, actor, id, clock()));
      return { rowCount: 1 };
    },
  });
};
