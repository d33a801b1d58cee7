import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { copyText } from '#core/lib/text/copy-text.ts';
import { AppError } from '#core/errors/errors.ts';
import { imageFormats } from '#core/files/kinds.ts';
import { publicFilesPath } from '#core/files/url.ts';
import { File } from '#db/entities/files.ts';
import type { Routes } from '#api/dependencies.ts';
import { isNamed } from '#api/etag.ts';
import { createPublicLimit } from '#api/limits/public-limit.ts';
import { binarySchema, errorSchema } from '#api/schemas.ts';
import { publicFileParamsSchema } from './schema.ts';

// A file opened in a browser runs no script and loads nothing; any page may embed it.
const headers = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};
// Staff may take a file down, and housekeeping draws WebP of earlier versions again: caches drop it within five minutes. Asking
// again costs an answer without a body.
const cacheControl = 'public, max-age=300';

// Each request costs a statement, and no key is needed.
const perSecond = 200;
const knownForMs = 1_000;
const maxKnown = 1_000;

const content = Object.fromEntries(Object.values(imageFormats).map(({ mime }) => [mime, { schema: binarySchema }]));

/** Serves files by their public address, without key or cookie. */
export const publicFileRoutes: Routes = async (app, { em, storage }) => {
  const takeCall = createPublicLimit(perSecond);
  // Of an unknown address null, which is kept too.
  const known = new LRUCache<string, Promise<File | null>>({ max: maxKnown, ttl: knownForMs });

  function find(urlKey: string): Promise<File | null> {
    const found = known.get(urlKey);
    if (found !== undefined) return found;
    const file = em.fork().getRepository(File).findPublic(urlKey);
    // The schema of the route bounds the key. A copy, because a substring would keep the whole request in memory.
    known.set(copyText(urlKey), file);
    file.catch(() => known.delete(urlKey));
    return file;
  }

  app.get(`${publicFilesPath}/:urlKey`, {
    config: { access: 'public' },
    schema: {
      operationId: 'downloadFile',
      summary: "Fetch a file's content",
      description: 'The url of a file. The call needs no key; clients may cache the answer for five minutes.',
      params: publicFileParamsSchema,
      response: {
        200: { description: 'The image.', content },
        304: z.undefined().describe('The image is the one that If-None-Match names.'),
        400: errorSchema.describe('Invalid parameters.'),
        404: errorSchema.describe('The file does not exist.'),
        429: errorSchema.describe('Too many requests.'),
        500: errorSchema.describe('An error of the server.'),
        503: errorSchema.describe('The service is not available for the moment.'),
      },
    },
    handler: async (request, reply) => {
      takeCall(request);
      const { params, headers: asked } = request;
      // A refusal stays `no-store`: a suspended organization may be resumed.
      void reply.headers(headers);
      const file = await find(params.urlKey);
      if (file === null) throw new AppError('NOT_FOUND', 'This file does not exist.');
      const etag = `"${file.urlKey}${extname(file.key)}"`;
      if (isNamed(asked['if-none-match'], etag)) {
        return reply.code(304).headers({ etag, 'cache-control': cacheControl }).send();
      }
      const bytes = await storage.get(file.key);
      if (bytes === undefined) throw new AppError('NOT_FOUND', 'This file does not exist.');
      return reply.headers({ etag, 'cache-control': cacheControl }).type(file.mime).send(bytes);
    },
  });
};
