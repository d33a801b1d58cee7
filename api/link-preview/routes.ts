import { z } from 'zod';
import { createCacheableAnswer, sendCacheable } from '#api/cacheable-answer.ts';
import { binarySchema, errorResponses } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { linkPreviewQuerySchema, linkPreviewSchema, siteIconQuerySchema } from './schema.ts';

// A site without an icon may have one an hour later.
const keptFor = { icon: 86_400, none: 3_600 };

/** A look at a destination before a link leads there, and the icons of sites that links lead to. */
export const linkPreviewRoutes: Routes = async (app, { pagePreviews, siteIcons, shares }) => {
  app.get('/link-preview', {
    config: { access: { resource: 'shortLinks', action: ['create', 'update'], isEither: true }, keepsReach: true },
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

  app.get('/link-preview/icon', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'drawSiteIcon',
      summary: 'Draw the icon of a site',
      description:
        "The icon that the site's home page names, else its `/favicon.ico`, as a PNG of at most 32 pixels. Takes at most 5 seconds and reads at most 512 KiB of each answer. Kept for a day, or for an hour where there is none.",
      querystring: siteIconQuerySchema,
      response: {
        200: { description: 'The icon.', content: { 'image/png': { schema: binarySchema } } },
        204: z.undefined().describe('The site has no icon that can be read.'),
        304: z.undefined().describe('The icon is the one that the client has.'),
        ...errorResponses(400),
      },
    },
    handler: async (request, reply) => {
      const { origin } = new URL(request.query.url);
      const icon = await shares.previews(request.actor.organizationId, () => siteIcons.find(origin));
      const cacheControl = `private, max-age=${icon === null ? keptFor.none : keptFor.icon}`;
      if (icon === null) return reply.code(204).header('cache-control', cacheControl).send();
      return sendCacheable(request, reply, createCacheableAnswer('image/png', icon), cacheControl);
    },
  });
};
