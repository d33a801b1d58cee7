import { expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { type Operation, readDescription, readDocument } from '#test/support/openapi.ts';

const api = useTestApi();

/** Operations that make what a call that died after its commit finds again under its Idempotency-Key (1.8). */
const creates = [
  'POST /short-link',
  'POST /short-link/import',
  'POST /domain',
  'POST /folder',
  'POST /tag',
  'POST /utm-template',
  'POST /files/meta-tag-image',
  'POST /files/qr-code-image',
  'POST /webhook',
  'POST /api-key',
];

/** Operations that succeed with another status than 200, by their statuses. */
const successes: Record<string, readonly string[]> = {
  '201': [
    ...creates,
    'POST /short-link/bulk',
    'POST /short-link/{id}/duplicate',
    'POST /organization/invitations',
    'POST /auth/second-factors/passkeys',
  ],
  '202': ['POST /short-link/import/{id}/undo'],
  '302': ['GET /auth/oidc/callback', 'GET /auth/oidc/callback/{id}'],
  '200 201': ['PUT /short-link/upsert'],
  '200 304': ['GET /short-link/{id}/qr-code', 'GET /files/public/{urlKey}'],
  '200 204 304': ['GET /link-preview/icon'],
};

/** Further statuses with which single operations refuse a call, beyond those that `statusesOf` gives to all. */
const refusals: Record<string, readonly string[]> = {
  // No id in the path, but one in the query or the body, or of the organization or user that calls.
  '404': [
    'GET /short-link/lookup',
    'PUT /short-link/upsert',
    'GET /process',
    'DELETE /organization',
    'DELETE /organization/oidc',
    'POST /organization/transfer',
    'POST /auth/oidc/start',
    'POST /auth/organization',
    'DELETE /auth/second-factors/totp',
    'POST /auth/confirm/passkey-options',
    // What they have made may be gone when the call is repeated.
    ...creates,
  ],
  // A state of the thing, of the organization or of the user forbids them.
  '409': [
    'PATCH /folder/{id}',
    'PATCH /tag/{id}',
    'PATCH /utm-template/{id}',
    'PATCH /api-key/{id}',
    'DELETE /organization/members/{id}',
    'DELETE /organization/invitations/{id}',
    'POST /auth/organization/leave',
    'POST /auth/invitation/accept',
    'POST /auth/password',
    'POST /auth/second-factors/totp',
    'POST /auth/second-factors/totp/confirm',
    'POST /auth/second-factors/passkeys',
    'POST /auth/second-factors/recovery-codes',
  ],
  '429 503': ['GET /readyz', 'GET /files/public/{urlKey}'],
};

// These routes look at no key and no session.
const callerless = /^\/(?:healthz|readyz|\.well-known|files\/public)/;

function statusesOf({ name, path, parameters }: Operation): string[] {
  const among = (lists: Record<string, readonly string[]>) =>
    Object.entries(lists).flatMap(([statuses, names]) => (names.includes(name) ? statuses.split(' ') : []));
  const success = among(successes);
  // Another body or another version stands against these headers.
  const isGuarded = parameters.some(({ name: header }) => ['Idempotency-Key', 'If-Match'].includes(header));
  return [
    ...(success.length === 0 ? ['200'] : success),
    '400',
    '500',
    ...(callerless.test(path) ? [] : ['401', '403', '429', '503']),
    ...(path.includes('{') && name !== 'GET /auth/oidc/callback/{id}' ? ['404'] : []),
    ...(isGuarded ? ['409'] : []),
    ...among(refusals),
  ].toSorted();
}

it('/doc describes every operation with the statuses of its kind and of its own, and no others', async () => {
  const document = await readDocument(api);
  const { operations } = readDescription(document);
  const described = operations.map(({ name, path, method }) => [
    name,
    Object.keys(document.paths[path][method.toLowerCase()].responses).toSorted(),
  ]);
  expect(described).toEqual(operations.map((operation) => [operation.name, statusesOf(operation)]));
});
