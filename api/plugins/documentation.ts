import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { bodyLimits } from '#api/limits/body-limits.ts';
import { createSessionCookie } from '#api/auth/cookie.ts';
import { isNamed } from '#api/etag.ts';
import { nothingSchema } from './validation.ts';

type Described = ReturnType<typeof jsonSchemaTransformObject>;

interface DocumentationOptions {
  /** Public address of the API. */
  baseUrl: string;
}

// The page loads and calls nothing but its own server; its icons are data: URLs.
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// What all calls have in common, told once.
const introduction = [
  'Short links, domains, statistics and webhooks.',
  'Every answer bears `X-Request-Id`. Calls that are counted bear `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (seconds) of the tighter window; 429 comes with `Retry-After` in seconds.',
  'Every POST with a key takes `Idempotency-Key`, of 1 to 255 characters: for 24 hours the same key with the same body gives its caller the first answer again, with `Idempotency-Replayed: true` and the first `X-Request-Id` in `Idempotency-Original-Request-Id`; with another body, or from another caller, it is 409.',
  'Answers that show one short link, domain or webhook bear `ETag`. A change or delete with it in `If-Match` is done only while that is still the version, else the answer is 409 CONFLICT. A PATCH that changes nothing leaves `updatedAt` and `ETag` as they are, and sends no event.',
  'Unknown fields, of bodies and queries, are refused by name. A VALIDATION_ERROR names up to 100 fields in `issues`; `moreIssues` says how many more there are.',
  `A JSON body may have ${bodyLimits.single / 1_024} KiB, in bulk calls and in PATCH /domain/{id} ${bodyLimits.large / 1_048_576} MiB, under /auth/ ${bodyLimits.auth / 1_024} KiB: one that is larger is answered 400, or 413 where it is cut off unread.`,
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
      transform: (route) => withVersion(route, jsonSchemaTransform(withoutEmptyBody(route))),
      transformObject: (document) => withoutUnused(tidy(jsonSchemaTransformObject(document))),
    });
    let documents: Map<string, Document> | undefined;
    const sendDocument = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      documents ??= createDocuments(app);
      const { type, body, etag } = documents.get(request.routeOptions.url!)!;
      // Kept by caches, and asked for again each time: a new release has another.
      void reply.headers({ etag, 'cache-control': 'no-cache' });
      return isNamed(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.type(type).send(body);
    };
    await app.register(async (scope) => {
      scope.addHook('onRoute', (route) => {
        // Not secret, and not counted: a page asks for more files at once than a client may make calls.
        route.config = { ...route.config, access: 'public' };
        // The page's own routes would write the whole description anew for every call.
        if (route.url === '/ui/json' || route.url === '/ui/yaml') route.handler = sendDocument;
      });
      await scope.register(swaggerUi, {
        routePrefix: '/ui',
        staticCSP: pagePolicy,
        // A key stays in the page's memory: it ends with the page, and the next person at the browser finds none.
        uiConfig: { persistAuthorization: false },
        theme: {
          title: 'Waymark API',
          // The bar on top would show the framework's logo.
          css: [{ filename: 'waymark.css', content: '.topbar { display: none }' }],
        },
      });
      scope.get('/doc', { schema: { hide: true, querystring: nothingSchema } }, sendDocument);
    });
  },
  { name: 'documentation', fastify: '5.x' },
);

/** A form of the description, ready to be sent. */
interface Document {
  type: string;
  body: Buffer;
  etag: string;
}

/** Writes the description once in each of its forms, by the paths that they are served at. */
function createDocuments(app: FastifyInstance): Map<string, Document> {
  const form = (type: string, text: string): Document => ({
    type,
    body: Buffer.from(text),
    etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`,
  });
  const json = form('application/json; charset=utf-8', JSON.stringify(app.swagger()));
  const yaml = form('application/yaml; charset=utf-8', app.swagger({ yaml: true }));
  return new Map([
    ['/doc', json],
    ['/ui/json', json],
    ['/ui/yaml', yaml],
  ]);
}

type Transformed = ReturnType<typeof jsonSchemaTransform>;

const versionHeaders = {
  etag: { type: 'string', description: 'The version of what is shown: it changes with `updatedAt`.' },
};
const preconditionHeaders = {
  'if-match': {
    type: 'string',
    description:
      'An `ETag`, several, or `*`: where the resource has another version by now, nothing is done, and the answer is 409 CONFLICT.',
  },
};

/** Describes the headers of a route that shows or changes a resource with a version. */
function withVersion({ route }: Parameters<typeof jsonSchemaTransform>[0], { schema, url }: Transformed): Transformed {
  if (route.config?.versioned !== true) return { schema, url };
  const described = { ...schema } as { response?: Record<string, object>; headers?: object };
  if (![route.method].flat().includes('DELETE')) {
    described.response = Object.fromEntries(
      Object.entries(described.response ?? {}).map(([status, answer]) => [
        status,
        status.startsWith('2') ? { ...answer, headers: versionHeaders } : answer,
      ]),
    );
  }
  const takesPrecondition = [route.method].flat().some((method) => !['GET', 'HEAD'].includes(method));
  // A resource that is made has no version yet.
  if (takesPrecondition && (route.method !== 'POST' || url.includes('{') || url.includes(':'))) {
    described.headers = { type: 'object', properties: preconditionHeaders };
  }
  return { schema: described, url };
}

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
