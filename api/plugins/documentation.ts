import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { createSessionCookie } from '../auth/cookie.ts';
import { nothingSchema } from './validation.ts';

type Described = ReturnType<typeof jsonSchemaTransformObject>;

/** Settings of `documentation`. */
export interface DocumentationOptions {
  /** Public address of the API. */
  baseUrl: string;
}

// What all calls have in common, told once.
const introduction = [
  'Short links, domains, statistics and webhooks.',
  'Every answer bears `X-Request-Id`. Calls that are counted bear `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (seconds) of the tighter window; 429 comes with `Retry-After` in seconds.',
  'Every POST with a key takes `Idempotency-Key`, of 1 to 255 characters: for 24 hours the same key with the same body gives the first answer again, with `Idempotency-Replayed: true`; with another body it is 409.',
  'Unknown fields, of bodies and queries, are refused by name.',
].join('\n\n');

/** Serves the OpenAPI description at /doc and a browser for it at /ui, both without a key (1.9). */
export const documentation = fp(
  async (app: FastifyInstance, { baseUrl }: DocumentationOptions) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.0.3',
        info: {
          title: 'Waymark',
          description: introduction,
          version: '0.0.3',
        },
        servers: [{ url: baseUrl }],
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
      transform: (route) => jsonSchemaTransform(withoutEmptyBody(route)),
      transformObject: (document) => withoutUnused(tidy(jsonSchemaTransformObject(document))),
    });
    await app.register(async (scope) => {
      // Nobody's secret, and not counted: a page asks for more files at once than a client may make calls.
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, access: 'public' };
      });
      await scope.register(swaggerUi, {
        routePrefix: '/ui',
        staticCSP: true,
        // On plain http the page's own files could not be had.
        transformStaticCSP: (policy) => policy.replace(' upgrade-insecure-requests;', ''),
        uiConfig: { persistAuthorization: true },
        // The bar on top would show somebody else's sign.
        theme: { title: 'Waymark API', css: [{ filename: 'waymark.css', content: '.topbar { display: none }' }] },
      });
      scope.get('/doc', { schema: { hide: true, querystring: nothingSchema } }, (_request, reply) =>
        reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
      );
    });
  },
  { name: 'documentation', fastify: '5.x' },
);

/** A route that takes no body is not described as if it needed one. */
function withoutEmptyBody(route: Parameters<typeof jsonSchemaTransform>[0]): typeof route {
  if (route.schema?.body !== nothingSchema) return route;
  const { body: _body, ...schema } = route.schema;
  return { ...route, schema };
}

/** Every named schema comes in a form for requests and one for answers: what no route refers to only makes the page long. */
function withoutUnused(document: Described): Described {
  const { components, ...rest } = document as { components?: { schemas?: object } };
  const schemas = new Map<string, unknown>(Object.entries(components?.schemas ?? {}));
  const used = new Map<string, unknown>();
  const take = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.set(name, schemas.get(name));
      take(schemas.get(name));
    }
  };
  take(rest);
  const kept = [...schemas].filter(([name]) => used.has(name));
  return Object.assign(document, { components: { ...components, schemas: Object.fromEntries(kept) } });
}

/** Puts right what the translation of schemas leaves imprecise, in the whole document. */
function tidy(document: Described): Described {
  return JSON.parse(JSON.stringify(document), (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? tidyObject({ ...value }) : value,
  ) as Described;
}

interface Loose {
  [keyword: string]: unknown;
}

function tidyObject(object: Loose): Loose {
  if (object.description === 'Default Response') object.description = 'Success.';
  if (object.type === 'integer') {
    // Integers in queries are read from text.
    delete object.pattern;
    // Where JSON ends to be exact, not where the service does.
    if (object.minimum === Number.MIN_SAFE_INTEGER) delete object.minimum;
    if (object.maximum === Number.MAX_SAFE_INTEGER) delete object.maximum;
  }
  // In OpenAPI 3.0.3 null is allowed only by a schema that names its type.
  if (object.nullable === true && object.type === undefined && Array.isArray(object.anyOf)) {
    delete object.nullable;
    object.anyOf = object.anyOf.map((branch: Loose) =>
      branch.type === undefined ? branch : { ...branch, nullable: true },
    );
  }
  // Nor do choices include it by themselves.
  if (object.nullable === true && Array.isArray(object.enum) && !object.enum.includes(null)) {
    object.enum = [...(object.enum as unknown[]), null];
  }
  return object;
}
