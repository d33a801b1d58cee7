import { createFolder, deleteFolder, updateFolder } from '#commands/labels/folders.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { requireReached } from '#core/organizations/reach.ts';
import { lastMs } from '#core/stats/stats.ts';
import { countLinksOf } from '#db/links/counts.ts';
import { Folder } from '#db/entities/links/links.ts';
import { byCreation, pageOf } from '#api/cursor.ts';
import { countOf, refuseCounts } from '#api/link-counts.ts';
import { once } from '#api/plugins/idempotency.ts';
import { labelListQuerySchema } from '#api/query.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { createFolderSchema, folderListSchema, folderSchema, patchFolderSchema, presentFolder } from './schema.ts';

// The default folder comes before all others, whenever it was made.
const positionOf = (folder: Folder) => (folder.isDefault ? { atMs: lastMs, id: folder.id } : byCreation(folder));

/** Folders need the permission for short links. */
export const folderRoutes: Routes = async (app, { clock, shares }) => {
  app.post('/folder', {
    config: { access: { resource: 'shortLinks', action: 'create' } },
    schema: {
      operationId: 'createFolder',
      summary: 'Create a folder',
      description: 'Names are unique without regard to case.',
      body: createFolderSchema,
      response: { 201: folderSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, body, em } = request;
      const id = await once(request, async (em) => (await createFolder(em, actor, body, clock())).id);
      return reply.code(201).send(presentFolder(requireOwn(await em.findOne(Folder, { id }), actor, 'folder')));
    },
  });

  app.get('/folder/list', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'listFolders',
      summary: 'List folders',
      description: 'The default folder first, then the most recent.',
      querystring: labelListQuerySchema,
      response: { 200: folderListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em, query: { withCounts, cursor: after, ...query } }) => {
      const { organizationId, reach } = actor;
      if (withCounts === true) refuseCounts(actor);
      const folders = em.getRepository(Folder);
      const [found, count] = await folders.list(organizationId, { ...query, after, among: reach?.folderIds ?? null });
      const { rows, nextCursor } = pageOf(found, query.limit, positionOf);
      const ids = rows.map(({ id }) => id);
      const links =
        withCounts === true
          ? await shares.heavyReads(organizationId, () => countLinksOf(em, 'folder', ids))
          : undefined;
      return { count, data: rows.map((row) => ({ ...presentFolder(row), ...countOf(links, row.id) })), nextCursor };
    },
  });

  app.get('/folder/:id', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'getFolder',
      summary: 'Read a folder',
      params: idParamsSchema,
      response: { 200: folderSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) =>
      presentFolder(requireReached(await em.findOne(Folder, { id }), actor, 'folderIds')),
  });

  app.patch('/folder/:id', {
    config: { access: { resource: 'shortLinks', action: 'update' } },
    schema: {
      operationId: 'updateFolder',
      summary: 'Update a folder',
      description: 'Fields that are sent change, the others stay. The default folder keeps its name.',
      params: idParamsSchema,
      body: patchFolderSchema,
      response: { 200: folderSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, body: { name, color } }) =>
      presentFolder(await em.transactional((em) => updateFolder(em, actor, id, { name, color }, clock()))),
  });

  app.delete('/folder/:id', {
    config: { access: { resource: 'shortLinks', action: 'delete' } },
    schema: {
      operationId: 'deleteFolder',
      summary: 'Delete a folder',
      description: 'Its links move to the default folder, which itself cannot be deleted.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      await em.transactional((em) => deleteFolder(em, actor, id, clock()));
      return { rowCount: 1 };
    },
  });
};
