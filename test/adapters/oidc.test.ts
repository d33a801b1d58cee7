import { expect, test, vi } from 'vitest';
import { claimsOf, createOidcClient } from '#adapters/oidc.ts';
import { type GuardedHttp, GuardedHttpError } from '#adapters/http/guarded-http.ts';
import type { OidcFailure } from '#core/organizations/oidc.ts';
import { eventually } from '#test/support/eventually.ts';

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

const provider = { issuer, clientId: 'waymark', clientSecret: 'secret' };
const redirectUri = 'https://api.example/auth/oidc/callback';
const begin = (metadata: object) => createOidcClient({ http: providerOf(metadata) }).begin(provider, { redirectUri });

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

test('a provider that has gone away is noticed half a minute later, before the browser is sent there', async () => {
  const answering = providerOf({ authorization_endpoint: 'https://login.example/authorize' });
  let isAway = false;
  const http: GuardedHttp = {
    ...answering,
    request(...call) {
      if (isAway) return Promise.reject(new GuardedHttpError('connect', 'The connection was refused.'));
      return answering.request(...call);
    },
  };
  const client = createOidcClient({ http });
  const signIn = () =>
    client.begin(provider, { redirectUri }).then(
      ({ url }) => new URL(url).origin,
      ({ reason }: OidcFailure) => reason,
    );
  expect(await signIn()).toBe(issuer);
  isAway = true;
  expect(await signIn()).toBe(issuer);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000);
  try {
    // The cache reads the clock once a millisecond.
    await eventually(signIn, (outcome) => outcome === 'away');
  } finally {
    clock.mockRestore();
  }
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
