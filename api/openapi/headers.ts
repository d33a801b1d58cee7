import type { OpenApi } from './types.ts';

interface Header {
  description: string;
  schema: object;
}

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };

const headers: Record<string, Header> = {
  'X-Request-Id': { description: 'Names the call in logs: tell it to support.', schema: text },
  'X-RateLimit-Limit': { description: 'How many calls the tighter window allows.', schema: whole },
  'X-RateLimit-Remaining': { description: 'How many of them are left.', schema: whole },
  'X-RateLimit-Reset': { description: 'Seconds until the window has room again.', schema: whole },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: whole },
  'Idempotency-Replayed': {
    description: '`true` where this is the first answer again.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Idempotency-Original-Request-Id': { description: 'X-Request-Id of the first answer.', schema: text },
};

const pictureTag: Header = { description: 'The version of the picture. Send it as If-None-Match.', schema: text };
const fileTag: Header = { description: 'The version of the file. Send it as If-None-Match.', schema: text };
const sessionCookie: Header = { description: 'The cookie of the session, for browsers.', schema: text };

/** Headers of the answers of single operations, by status. */
const ownHeaders: Readonly<Record<string, Record<string, Record<string, Header>>>> = {
  downloadFile: { 200: { ETag: fileTag }, 304: { ETag: fileTag } },
  drawShortLinkQrCode: { 200: { ETag: pictureTag }, 304: { ETag: pictureTag } },
  signIn: { 200: { 'Set-Cookie': sessionCookie } },
  resetPassword: { 200: { 'Set-Cookie': sessionCookie } },
  signOut: { 200: { 'Set-Cookie': { ...sessionCookie, description: 'Removes the cookie of the session.' } } },
};
const disposition: Header = { description: 'A name for the file.', schema: text };

const cached = new Set(['downloadFile', 'drawShortLinkQrCode']);

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'Values of `ETag`: where the answer has one of them, the answer is 304 without content.',
  schema: text,
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the call safe to repeat: for 24 hours the same key with the same body gives the first answer again; with another body it is 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const limitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const replayHeaders = ['Idempotency-Replayed', 'Idempotency-Original-Request-Id'];
const waitStatuses = new Set(['429', '503']);

/** Adds to each operation the headers that all calls share: they come from hooks, not from the routes. */
export function addCommonHeaders(document: OpenApi): void {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const isLimited = '429' in operation.responses;
      const isRepeatable = ['post', 'put'].includes(method) && isLimited && !path.startsWith('/auth/');
      for (const [status, response] of Object.entries(operation.responses)) {
        const names = [
          'X-Request-Id',
          ...(isLimited ? limitHeaders : []),
          ...(waitStatuses.has(status) || (isRepeatable && status === '409') ? ['Retry-After'] : []),
          ...(isRepeatable && status.startsWith('2') ? replayHeaders : []),
        ];
        response.headers = {
          ...response.headers,
          ...ownHeaders[operation.operationId]?.[status],
          ...('text/csv' in (response.content ?? {}) ? { 'Content-Disposition': disposition } : {}),
          ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
        };
      }
      if (cached.has(operation.operationId)) operation.parameters = [...(operation.parameters ?? []), ifNoneMatch];
      if (isRepeatable)
        operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/IdempotencyKey' }];
    }
  }
  Object.assign(document.components, { headers, parameters: { IdempotencyKey: idempotencyKey } });
}
