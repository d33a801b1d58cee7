import { createUtmTemplate, deleteUtmTemplate, updateUtmTemplate } from '#commands/labels/utm-templates.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { UtmTemplate } from '#db/entities/links/utm-templates.ts';
import type { Routes } from '#api/dependencies.ts';
import { once } from '#api/plugins/idempotency.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import {
  createUtmTemplateSchema,
  patchUtmTemplateSchema,
  presentUtmTemplate,
  utmTemplateListQuerySchema,
  utmTemplateListSchema,
  utmTemplateSchema,
} from './schema.ts';

/** UTM templates need the permission for short links, which they fill. */
export const utmTemplateRoutes: Routes = async (app, { clock }) => {
  app.post('/utm-template', {
    config: { access: { resource: 'shortLinks', action: 'create' } },
    schema: {
      operationId: 'createUtmTemplate',
      summary: 'Create a UTM template',
      description: 'Names are unique without regard to case. An organization has at most 200.',
      body: createUtmTemplateSchema,
      response: { 201: utmTemplateSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, body, em } = request;
      const id = await once(request, async (em) => (await createUtmTemplate(em, actor, body, clock())).id);
      const template = requireOwn(await em.findOne(UtmTemplate, { id }), actor, 'UTM template');
      return reply.code(201).send(presentUtmTemplate(template));
    },
  });

  app.get('/utm-template/list', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'listUtmTemplates',
      summary: 'List UTM templates',
      description: 'By name.',
      querystring: utmTemplateListQuerySchema,
      response: { 200: utmTemplateListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query }) => {
      const [rows, count] = await em.getRepository(UtmTemplate).list(organizationId, query);
      return { count, data: rows.map(presentUtmTemplate) };
    },
  });

  app.get('/utm-template/:id', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'getUtmTemplate',
      summary: 'Read a UTM template',
      params: idParamsSchema,
      response: { 200: utmTemplateSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) =>
      presentUtmTemplate(requireOwn(await em.findOne(UtmTemplate, { id }), actor, 'UTM template')),
  });

  app.patch('/utm-template/:id', {
    config: { access: { resource: 'shortLinks', action: 'update' } },
    schema: {
      operationId: 'updateUtmTemplate',
      summary: 'Update a UTM template',
      description: 'Fields that are sent change, the others stay. Links that were filled from it keep their values.',
      params: idParamsSchema,
      body: patchUtmTemplateSchema,
      response: { 200: utmTemplateSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, body }) => {
      const { id: _id, organizationId: _organizationId, createdAt: _createdAt, updatedAt: _updatedAt, ...patch } = body;
      return presentUtmTemplate(await em.transactional((em) => updateUtmTemplate(em, actor, id, patch, clock())));
    },
  });

  app.delete('/utm-template/:id', {
    config: { access: { resource: 'shortLinks', action: 'delete' } },
    schema: {
      operationId: 'deleteUtmTemplate',
      summary: 'Delete a UTM template',
      description: 'Links that were filled from it keep their values.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      await em.transactional((em) => deleteUtmTemplate(em, actor, id, clock()));
      return { rowCount: 1 };
    },
  });
};
