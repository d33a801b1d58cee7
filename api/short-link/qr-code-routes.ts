import { z } from 'zod';
import { QrTooLongError } from '#core/links/qr/layout.ts';
import { defaultQrSize, firstTemplate } from '#core/links/qr/template.ts';
import { invalid } from '#core/errors/errors.ts';
import { requireLink } from '#core/organizations/reach.ts';
import { File } from '#db/entities/files.ts';
import { readLinks } from '#db/links/view.ts';
import type { Routes } from '#api/dependencies.ts';
import { createCacheableAnswer, sendCacheable } from '#api/cacheable-answer.ts';
import { optionalInteger } from '#api/query.ts';
import { binarySchema, errorResponses, idParamsSchema } from '#api/schemas.ts';

const querySchema = z.strictObject({
  format: z.enum(['svg', 'png']).default('svg'),
  size: optionalInteger(101, 2_000, defaultQrSize).describe('Side in pixels.'),
});

const policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export const qrCodeRoutes: Routes = async (app, { db, em, site, storage, qrCodes, shares, logger }) => {
  app.get('/short-link/:id/qr-code', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'drawShortLinkQrCode',
      summary: "Draw a short link's QR code",
      description:
        'Drawn in the style of the link, with its uploaded logo; black on white without a style. The code holds the short URL with `qr=1`, by which statistics distinguish scans from clicks. An image that options name by URL is not drawn.',
      params: idParamsSchema,
      querystring: querySchema,
      response: {
        200: {
          description: 'The picture.',
          // Bytes in both formats, so that generated clients of both return bytes.
          content: { 'image/svg+xml': { schema: binarySchema }, 'image/png': { schema: binarySchema } },
        },
        304: z.undefined().describe('The picture is the one that the client has.'),
        ...errorResponses(400, 404),
      },
    },
    handler: async (request, reply) => {
      const { actor, params, query } = request;
      const { format, size } = query;
      const [found] = await readLinks(db, [params.id]);
      const link = requireLink(found, actor);
      const { options, imageId } = link.qrCode ?? { options: firstTemplate, imageId: null };
      const data = `${site.originUrl(link.domain.domain, link.slug)}?qr=1`;
      const bytes = await shares.qrCodes(actor.organizationId, async () => {
        const logo = imageId === null ? undefined : await readLogo(imageId);
        return draw(format, { data, options, size, logo });
      });
      const answer = createCacheableAnswer(format === 'png' ? 'image/png' : 'image/svg+xml', bytes);
      // The client keeps the picture, and asks each time whether it is the same.
      return sendCacheable(request, reply.header('content-security-policy', policy), answer, 'private, no-cache');
    },
  });

  async function draw(format: 'png' | 'svg', drawing: Parameters<typeof qrCodes.drawSvg>[0]): Promise<string | Buffer> {
    try {
      return await (format === 'png' ? qrCodes.drawPng(drawing) : qrCodes.drawSvg(drawing));
    } catch (error) {
      throw error instanceof QrTooLongError ? invalid('id', 'has a short URL that is too long for a QR code') : error;
    }
  }

  async function readLogo(imageId: string): Promise<{ bytes: Buffer; mime: string } | undefined> {
    const file = await em.fork().findOne(File, { id: imageId, takenDownAt: null });
    const bytes = file === null ? undefined : await storage.get(file.key);
    if (file !== null && bytes !== undefined) return { bytes, mime: file.mime };
    const message = 'a QR code was drawn without its logo, which was taken down or is not in the storage';
    logger.warn({ fileId: imageId }, message);
    return undefined;
  }
};
