import { expect, test } from 'vitest';
import { claimsOf, createOidcClient } from '#adapters/oidc.ts';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';

const issuer = 'https://login.example';

/** A provider that says of itself what it is given. */
function providerOf(metadata: object): GuardedHttp {
  const answer = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ issuer, ...metadata })),
    isTruncated: false,
    durationMs: 1,
  };
  return { request: async () => answer, checkUrl: async () => {}, close: async () => {} };
}

const begin = (metadata: object) =>
  createOidcClient({ http: providerOf(metadata) }).begin(
    { issuer, clientId: 'waymark', clientSecret: 'secret' },
    { redirectUri: 'https://api.example/auth/oidc/callback' },
  );

test.each([undefined, 'no address', 'javascript:alert(1)', 'http://login.example/authorize', 17])(
  'a provider that sends browsers to %j is refused, and is no fault of ours',
  async (authorization_endpoint) => {
    await expect(begin({ authorization_endpoint })).rejects.toMatchObject({ name: 'OidcFailure', reason: 'refused' });
  },
);

test('a provider that names an address by https is asked there', async () => {
  const { url } = await begin({ authorization_endpoint: 'https://login.example/authorize' });
  expect(url).toMatch(/^https:\/\/login\.example\/authorize\?/);
});

test.each([
  [true, true, true],
  ['true', true, true],
  [undefined, false, true],
  [false, false, false],
  ['false', false, false],
  [null, false, false],
  [1, false, false],
  ['True', false, false],
])('an e-mail with the claim %j counts: %s, and %s with OIDC_TRUST_EMAILS', (claim, counts, countsTrusted) => {
  const told = { iss: 'https://login.example.com', sub: '1', email: 'ada@example.com', email_verified: claim };
  expect(claimsOf(told, false).isEmailVerified).toBe(counts);
  expect(claimsOf(told, true).isEmailVerified).toBe(countsTrusted);
});
