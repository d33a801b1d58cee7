import { LRUCache } from 'lru-cache';
import type * as OpenidClient from 'openid-client';
import { OidcFailure, type OidcClient, type OidcClaims, type OidcProvider } from '#core/organizations/oidc.ts';
import { createGuardedFetch } from './http/guarded-fetch.ts';
import { type GuardedHttp, GuardedHttpError } from './http/guarded-http.ts';

// A person waits for it.
const timeoutMs = 8_000;
// While metadata are kept, a sign-in leads to a provider that has gone away since, and so to an error page of the browser's own.
const configurationLivesMs = 30_000;
const mostConfigurations = 200;

/** OpenID Connect: authorization code flow with PKCE, state and nonce; the signature of the ID token is checked. */
export function createOidcClient({
  http,
  trustsEmails = false,
}: {
  http: GuardedHttp;
  /** Whether an e-mail counts as verified where the provider does not say so. */
  trustsEmails?: boolean;
}): OidcClient {
  // A failure is not kept: the next person asks anew.
  const configurations = new LRUCache<string, OpenidClient.Configuration, OidcProvider>({
    max: mostConfigurations,
    ttl: configurationLivesMs,
    fetchMethod: (_key, _stale, { context }) => configure(context),
    ignoreFetchAbort: true,
  });

  const guardedFetch = createGuardedFetch(http, timeoutMs);

  // Loaded at the first sign-in of this kind: most installations have none.
  const load = (): Promise<typeof OpenidClient> => import('openid-client');

  async function configure({ issuer, clientId, clientSecret }: OidcProvider): Promise<OpenidClient.Configuration> {
    const client = await load();
    const execute = [client.enableNonRepudiationChecks];
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
    return client.discovery(new URL(issuer), clientId, clientSecret, client.ClientSecretPost(clientSecret), {
      execute,
      timeout: timeoutMs / 1_000,
      [client.customFetch]: guardedFetch,
    });
  }

  function configurationOf(provider: OidcProvider): Promise<OpenidClient.Configuration> {
    const key = JSON.stringify([provider.issuer, provider.clientId, provider.clientSecret]);
    return configurations.forceFetch(key, { context: provider });
  }

  return {
    async begin(provider, { redirectUri, email }) {
      const client = await load();
      const configuration = await configurationOf(provider).catch(fail);
      const codeVerifier = client.randomPKCECodeVerifier();
      const flow = { state: client.randomState(), nonce: client.randomNonce(), codeVerifier };
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
        ...(email === undefined ? {} : { login_hint: email }),
      };
      try {
        return { url: client.buildAuthorizationUrl(configuration, parameters).href, ...flow };
      } catch (error) {
        // Metadata without an address for browsers, or with one that is none.
        return fail(error);
      }
    },
    async finish(provider, callback, { state, nonce, codeVerifier }) {
      const client = await load();
      const configuration = await configurationOf(provider).catch(fail);
      const checks = {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      };
      const tokens = await client.authorizationCodeGrant(configuration, callback, checks).catch(fail);
      const told = tokens.claims();
      if (told === undefined) throw new OidcFailure('refused', 'The identity provider sent no ID token.');
      if (typeof told.email === 'string') return claimsOf(told, trustsEmails);
      // Some providers tell the e-mail at another address alone.
      const more = await client.fetchUserInfo(configuration, tokens.access_token, told.sub).catch(fail);
      return claimsOf({ ...told, ...more }, trustsEmails);
    },
  };
}

/** The claims of an ID token. @param trustsEmails whether an e-mail counts where the provider says nothing about it. */
export function claimsOf(
  { sub, iss, email, email_verified: isVerified, name }: Record<string, unknown>,
  trustsEmails: boolean,
): OidcClaims {
  return {
    issuer: String(iss),
    subject: String(sub),
    email: typeof email === 'string' ? email : undefined,
    // Some providers write it as a text.
    isEmailVerified: isVerified === true || isVerified === 'true' || (trustsEmails && isVerified === undefined),
    name: typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined,
  };
}

/** @throws OidcFailure */
function fail(error: unknown): never {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const isAway = cause instanceof GuardedHttpError || cause.name === 'TimeoutError' || cause.name === 'AbortError';
    if (isAway) throw new OidcFailure('away', cause.message, { cause: error });
    const { status } = cause as { status?: unknown };
    if (typeof status === 'number' && status >= 500) throw new OidcFailure('away', cause.message, { cause: error });
  }
  throw new OidcFailure('refused', error instanceof Error ? error.message : String(error), { cause: error });
}
