import type { jsonSchemaTransform } from 'fastify-type-provider-zod';

type Transformed = ReturnType<typeof jsonSchemaTransform>;

const versionHeaders = {
  ETag: {
    type: 'string',
    description:
      'The version of the resource: it changes with `updatedAt`, and for a short link with names and colors of its folder and tags.',
  },
};
const preconditionHeaders = {
  'If-Match': {
    type: 'string',
    description:
      'One or several values of `ETag`, or `*`: if the resource has another version by now, the call changes nothing and is answered 409 CONFLICT.',
  },
};

/** Adds `ETag` and `If-Match` to the description of a versioned route. */
export function withVersion(
  { route }: Parameters<typeof jsonSchemaTransform>[0],
  { schema, url }: Transformed,
): Transformed {
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
  // A create has no version to match; a duplicate is one too.
  const creates = '201' in (described.response ?? {}) && !('200' in (described.response ?? {}));
  if (takesPrecondition && !creates) {
    described.headers = { type: 'object', properties: preconditionHeaders };
  }
  return { schema: described, url };
}
