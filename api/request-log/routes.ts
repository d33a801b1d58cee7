import { AppError } from '#core/errors/errors.ts';
import { findLoggedCall, listLoggedCalls } from '#db/request-log/request-log.ts';
import { byMoment, pageOf } from '#api/cursor.ts';
import type { Routes } from '#api/dependencies.ts';
import { errorResponses, idParamsSchema } from '#api/schemas.ts';
import {
  loggedCallWithBodiesSchema,
  presentLoggedCall,
  presentLoggedCallWithBodies,
  requestLogPageSchema,
  requestLogQuerySchema,
} from './schema.ts';

/** Calls of the API by an organization, for its owners and admins (12.9). */
export const requestLogRoutes: Routes = async (app, { shares }) => {
  const config = { access: { resource: 'apiKeys', action: 'read' }, isUnlogged: true } as const;

  app.get('/request-log', {
    config,
    schema: {
      operationId: 'listRequestLog',
      summary: 'List calls of the API',
      description:
        'Most recent first: every call with a key of the organization or by its members, refused ones too, but reads of this list. Owners and admins may read it, and their keys with the permission for API keys. Kept for 7 days, unless the operator sets another time; a call is there within about 2 seconds.',
      querystring: requestLogQuerySchema,
      response: { 200: requestLogPageSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query }) => {
      const { cursor: after, limit, status, by: caller, ...filters } = query;
      const statuses = status === undefined ? undefined : statusesOf(status);
      // One more shows whether a page follows.
      const wanted = { ...filters, caller, statuses, after, limit: limit + 1 };
      const found = await shares.heavyReads(organizationId, () => listLoggedCalls(em, organizationId, wanted), {
        isContinued: after !== undefined,
      });
      const { rows, nextCursor } = pageOf(found, limit, byMoment);
      return { data: rows.map(presentLoggedCall), nextCursor };
    },
  });

  app.get('/request-log/:id', {
    config,
    schema: {
      operationId: 'getLoggedCall',
      summary: 'Get a call of the API',
      description:
        'One call by its X-Request-Id, which errors repeat as `requestId`, with its body and the body of its answer. Secrets are masked.',
      params: idParamsSchema,
      response: { 200: loggedCallWithBodiesSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor: { organizationId }, em, params: { id } }) => {
      const found = await findLoggedCall(em, organizationId, id);
      if (found === undefined) throw new AppError('NOT_FOUND', 'The request log has no such call.');
      return presentLoggedCallWithBodies(found);
    },
  });
};

/** The first and the last status of a class (`4xx`), or one status twice. */
function statusesOf(status: string): [number, number] {
  const first = Number(status.replace('xx', '00'));
  return [first, status.endsWith('xx') ? first + 99 : first];
}
