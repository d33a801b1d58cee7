import type { Position } from '#db/connection/lists/paging.ts';
import { noId } from '#db/entities/webhooks.ts';
import { listEvents, readEventsSettledAt } from '#db/webhooks/event-list.ts';
import type { Routes } from '#api/dependencies.ts';
import { toCursor } from '#api/cursor.ts';
import { errorResponses } from '#api/schemas.ts';
import { type EventsPage, eventListQuerySchema, eventListSchema } from './deliveries-schema.ts';

export const eventRoutes: Routes = async (app, { clock }) => {
  app.get('/events', {
    config: { access: { resource: 'webhooks', action: 'read' } },
    schema: {
      operationId: 'listEvents',
      summary: 'List events',
      description:
        'For reconciliation by polling: the earliest first, each once, with the body that webhooks receive. Every answer has a nextCursor; a call with it continues where the answer ended. An event appears some ten seconds after it happened, later while a long write runs, so that none can be missed. Clicks are events only where a webhook subscribes to link.clicked. Events are kept for 30 days.',
      querystring: eventListQuerySchema(clock),
      response: { 200: eventListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query: { cursor, since, type, limit } }) => {
      const from = cursor ?? { atMs: since?.getTime() ?? 0, id: noId };
      const settledAt = await readEventsSettledAt(em);
      const events = await listEvents(em, organizationId, { from, type, settledAt, limit: limit + 1 });
      const hasMore = events.length > limit;
      const shown = events.slice(0, limit);
      const last = shown.at(-1);
      // Without more events the next page begins where no event is missing yet. A cursor never moves back.
      const settled: Position = { atMs: Math.max(settledAt.getTime(), from.atMs), id: noId };
      const isPast = settled.atMs === from.atMs;
      const next =
        hasMore && last !== undefined ? { atMs: last.createdAt.getTime(), id: last.id } : isPast ? from : settled;
      return {
        data: shown.map(({ body }) => JSON.parse(body) as EventsPage['data'][number]),
        nextCursor: toCursor(next),
        hasMore,
      };
    },
  });
};
