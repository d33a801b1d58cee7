import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  createJsonSchemaTransform,
  type jsonSchemaTransform,
  jsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { bodyLimits, maxStructure } from '#api/limits/body-limits.ts';
import { createSessionCookie } from '#api/auth/cookie.ts';
import { type CacheableAnswer, createCacheableAnswer, sendCacheable } from '#api/cacheable-answer.ts';
import { describeDocument } from '#api/openapi/document.ts';
import { describeRoute, tagsInOrder } from '#api/openapi/parts.ts';
import { withVersion } from '#api/openapi/versions.ts';
import { createReferencePage } from './reference-page.ts';
import { nothingSchema } from '#api/plugins/validation.ts';

interface DocumentationOptions {
  /** Public address of the API. */
  baseUrl: string;
}

// The description of the whole document: rules that all calls share.
const introduction = [
  'Short links, domains, statistics and webhooks.',
  'Every answer has `X-Request-Id`. Answers to calls with a rate limit have `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (seconds) of the tighter window; 429 comes with `Retry-After` in seconds.',
  'Every POST with a key takes `Idempotency-Key`, of 1 to 255 characters: for 24 hours the same key with the same body gives its caller the first answer again, with `Idempotency-Replayed: true` and the first `X-Request-Id` in `Idempotency-Original-Request-Id`; with another body, or from another caller, it is 409.',
  'Answers that show one short link, domain or webhook have `ETag`. A change or delete with that value in `If-Match` is done only while the version is the same, else the answer is 409 CONFLICT. A PATCH that changes nothing leaves `updatedAt` and `ETag` as they are, and sends no event.',
  'Unknown fields, of bodies and queries, are refused by name. A VALIDATION_ERROR names up to 100 fields in `issues`; `moreIssues` is the number of further ones.',
  `A JSON body may have ${bodyLimits.single / 1_024} KiB, that of one link ${bodyLimits.link / 1_024} KiB, in PATCH /domain/{id} ${bodyLimits.documents / 1_024} KiB, in bulk calls ${bodyLimits.large / 1_048_576} MiB, under /auth/ ${bodyLimits.auth / 1_024} KiB: a larger one is answered 400, or 413 where the API stops reading. The commas, colons and opening brackets of a body, outside of texts, may be a quarter of that, and ${maxStructure(bodyLimits.large)} in bulk calls.`,
].join('\n\n');

/** Serves the OpenAPI document at /doc and a reference of it for people at /ui, both without a key (1.9). */
export const documentation = fp(
  async (app: FastifyInstance, { baseUrl }: DocumentationOptions) => {
    // One for each API: it remembers the schemas of the first one that it describes.
    const toJsonSchema = createJsonSchemaTransform({});
    await app.register(swagger, {
      openapi: {
        openapi: '3.0.3',
        info: {
          title: 'Waymark',
          description: introduction,
          version: '0.0.3',
          license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        },
        servers: [{ url: baseUrl }],
        tags: tagsInOrder,
        components: {
          securitySchemes: {
            apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
            session: {
              type: 'apiKey',
              in: 'cookie',
              name: createSessionCookie(baseUrl).name,
              description: 'For web applications; POST /auth/login sets it.',
            },
          },
        },
        security: [{ apiKey: [] }, { session: [] }],
      },
      transform: (route) => withVersion(route, toJsonSchema(withPart(withoutEmptyBody(route)))),
      transformObject: (document) => describeDocument(jsonSchemaTransformObject(document)),
    });
    // Each at its first request: hardly a client asks for YAML, which takes twice as long as JSON.
    const documents: { json?: CacheableAnswer; yaml?: CacheableAnswer } = {};
    const sendJson = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      documents.json ??= createCacheableAnswer('application/json; charset=utf-8', JSON.stringify(app.swagger()));
      return sendCacheable(request, reply, documents.json);
    };
    const sendYaml = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      documents.yaml ??= createCacheableAnswer('application/yaml; charset=utf-8', app.swagger({ yaml: true }));
      return sendCacheable(request, reply, documents.yaml);
    };
    const page = createReferencePage(baseUrl);
    // Public, so not rate-limited: the page loads more files at once than a client may make calls.
    const route = { config: { access: 'public' }, schema: { hide: true } } as const;
    app.get('/doc', { ...route, schema: { hide: true, querystring: nothingSchema } }, sendJson);
    app.get('/ui/json', route, sendJson);
    app.get('/ui/yaml', route, sendYaml);
    app.get('/ui', route, page.sendPage);
    app.get('/ui/start.js', route, page.sendStart);
    app.get('/ui/scalar.js', route, page.sendProgram);
  },
  { name: 'documentation', fastify: '5.x' },
);

/** Removes the empty body schema of routes without a body. */
function withoutEmptyBody(route: Parameters<typeof jsonSchemaTransform>[0]): typeof route {
  if (route.schema?.body !== nothingSchema) return route;
  const { body: _body, ...schema } = route.schema;
  return { ...route, schema };
}

function withPart(route: Parameters<typeof jsonSchemaTransform>[0]): typeof route {
  const {
    schema,
    url,
    route: { config },
  } = route;
  return schema?.hide === true ? route : { ...route, schema: { ...describeRoute(url, config ?? {}), ...schema } };
}
