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

/** Serves the OpenAPI description at /doc and a browser for it at /ui, both without a key (1.9). */
export const documentation = fp(
  async (app: FastifyInstance, { baseUrl }: DocumentationOptions) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.0.3',
        info: {
          title: 'Waymark',
          description: 'Short links, domains, statistics and webhooks.',
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
      transformObject: (document) => withoutUnused(jsonSchemaTransformObject(document)),
    });
    await app.register(swaggerUi, {
      routePrefix: '/ui',
      staticCSP: true,
      uiConfig: { persistAuthorization: true },
      // The bar on top would show somebody else's sign.
      theme: { title: 'Waymark API', css: [{ filename: 'waymark.css', content: '.topbar { display: none }' }] },
    });
    app.get('/doc', { schema: { hide: true } }, (_request, reply) => {
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger()));
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
  const text = JSON.stringify(document);
  const { components } = document as { components?: { schemas?: object } };
  const schemas = Object.entries(components?.schemas ?? {});
  const used = schemas.filter(([name]) => text.includes(`"#/components/schemas/${name}"`));
  return Object.assign(document, { components: { ...components, schemas: Object.fromEntries(used) } });
}
