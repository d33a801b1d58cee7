import { errorResponses } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { linkPreviewQuerySchema, linkPreviewSchema } from './schema.ts';

/** A look at a destination before a link leads there. */
export const linkPreviewRoutes: Routes = async (app, { pagePreviews, shares }) => {
  app.get('/link-preview', {
    config: { access: { resource: 'shortLinks', action: ['create', 'update'] }, keepsReach: true },
    schema: {
      operationId: 'previewLink',
      summary: 'Look at a destination',
      description:
        'Reads the page at a public address: title, description, picture, where its redirects end, and whether it may be framed. Takes at most 5 seconds and reads at most 512 KiB of each answer. Answers repeat for a minute. A page that does not answer is no error: `problem` tells why.',
      querystring: linkPreviewQuerySchema,
      response: { 200: linkPreviewSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, query: { url } }) => ({
      url,
      ...(await shares.previews(actor.organizationId, () => pagePreviews.look(url))),
    }),
  });
};
