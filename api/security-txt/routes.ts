import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { securityTxt, securityTxtPath, securityTxtType } from '#core/http/security-txt.ts';
import { errorSchema } from '#api/schemas.ts';

interface SecurityTxtOptions {
  /** Contact URIs, the preferred one first. */
  contacts: readonly string[];
  clock(): Date;
}

/** /.well-known/security.txt (RFC 9116), without a key. */
export const securityTxtRoute: FastifyPluginAsyncZod<SecurityTxtOptions> = async (app, { contacts, clock }) => {
  app.get(securityTxtPath, {
    config: { access: 'public' },
    schema: {
      operationId: 'readSecurityTxt',
      summary: 'Contacts for reports of vulnerabilities',
      description: 'A security.txt by RFC 9116: contacts, and the date on which the document expires.',
      response: {
        200: { description: 'The document.', content: { 'text/plain': { schema: z.string() } } },
        400: errorSchema.describe('Invalid parameters.'),
        500: errorSchema.describe('An error of the server.'),
      },
    },
    handler: async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=86400').type(securityTxtType).send(securityTxt(contacts, clock())),
  });
};
