import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { AppError } from '../../core/errors.ts';
import { imageFormats } from '../../core/file-kinds.ts';
import { publicFilesPath } from '../../core/file-url.ts';
import { findPublicFile } from '../../db/files.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { isNamed } from '../etag.ts';
import { errorSchema } from '../schemas.ts';
import { publicFileParamsSchema } from './schema.ts';

const tags = ['Files'];

// Nothing in a file runs or asks for anything, wherever it is opened; any page may show it (2.10).
const headers = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
};
// The content of an address never changes, but it may be withdrawn: from caches it is gone a day later.
const cacheControl = 'public, max-age=86400, immutable';

const binary = z.any().meta({ type: 'string', format: 'binary' });
const content = Object.fromEntries(Object.values(imageFormats).map(({ mime }) => [mime, { schema: binary }]));

/** Serves files to everybody who has their address: no key, no cookie. */
export const publicFileRoutes: FastifyPluginAsyncZod<ApiDependencies> = async (app, { db, storage }) => {
  app.get(
    `${publicFilesPath}/:urlKey`,
    {
      config: { access: 'public' },
      schema: {
        tags,
        summary: "Fetch a file's content",
        description: 'The url of a file. Needs no key; may be kept for a day.',
        security: [],
        params: publicFileParamsSchema,
        response: {
          200: { description: 'The image.', content },
          304: z.undefined().describe('The image is the one that If-None-Match names.'),
          400: errorSchema.describe('Invalid parameters.'),
          404: errorSchema.describe('There is no such file.'),
          500: errorSchema.describe('An error of the server.'),
          503: errorSchema.describe('The service is not available for the moment.'),
        },
      },
    },
    async ({ params: { urlKey }, headers: asked }, reply) => {
      // What is refused now may be served a moment later: a suspension ends.
      void reply.headers(headers).header('cache-control', 'no-store');
      const file = await findPublicFile(db, urlKey);
      if (file === undefined) throw new AppError('NOT_FOUND', 'This file does not exist.');
      const etag = `"${file.urlKey}"`;
      if (isNamed(asked['if-none-match'], etag)) {
        return reply.code(304).headers({ etag, 'cache-control': cacheControl }).send();
      }
      const bytes = await storage.get(file.key);
      if (bytes === undefined) throw new AppError('NOT_FOUND', 'This file does not exist.');
      return reply.headers({ etag, 'cache-control': cacheControl }).type(file.mime).send(bytes);
    },
  );
};
