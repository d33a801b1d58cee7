import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { activityActions, activitySubjects, subjectOf } from '#core/audit/activity.ts';
import { isAllowed } from '#core/organizations/permissions.ts';
import { listActivities } from '#db/audit/activity-list.ts';
import { byMoment, pageOf } from '#api/cursor.ts';
import { errorResponses } from '#api/schemas.ts';
import { activityPageSchema, activityQuerySchema, presentActivity } from './schema.ts';

export const activityRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/activity', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'listActivity',
      summary: 'List what was changed',
      description:
        'Most recent first: each change of short links, folders, tags, templates, imports, domains, files and webhooks, with its caller; a bulk call and an import are one row each. Changes of domains, files and webhooks are listed for callers that may read these. Kept for a year.',
      querystring: activityQuerySchema,
      response: { 200: activityPageSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId, permissions }, em, query }) => {
      const { actions, cursor: after, limit, subject: subjectId, ...others } = query;
      const wanted = actions.length === 0 ? activityActions : actions;
      const readable = wanted.filter((action) => isAllowed(permissions, activitySubjects[subjectOf(action)], 'read'));
      if (readable.length === 0) return { data: [], nextCursor: null };
      // One more shows whether a page follows.
      const filters = { ...others, actions: readable, subjectId, after, limit: limit + 1 };
      const found = await listActivities(em, organizationId, filters);
      const { rows, nextCursor } = pageOf(found, limit, byMoment);
      return { data: rows.map(presentActivity), nextCursor };
    },
  });
};
