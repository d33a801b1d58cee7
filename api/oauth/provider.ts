import { createPrivateKey } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import Provider, {
  type Configuration,
  errors,
  interactionPolicy,
  type JWK,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import type { GuardedFetch } from '#adapters/http/guarded-fetch.ts';
import { appDays, mcpResource, mcpScope, redirectHostOf } from '#core/accounts/connected-apps.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { unusedClientSeconds } from '#db/accounts/oauth-records.ts';
import { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';
import { createStore } from './adapter.ts';
import { answerUnavailable, refusalText } from './errors.ts';
import { basePath, issuerOf, paths } from './metadata.ts';
import { oauthCall } from './oauth-call.ts';

export interface AuthorizationServerOptions {
  em: EntityManager;
  sealing: Sealing;
  baseUrl: string;
  /** Fetches the metadata document of a client, from public addresses alone. */
  fetchDocument: GuardedFetch;
  clock(): Date;
}

const daySeconds = 86_400;
const minuteSeconds = 60;

/** OAuth 2.1 for MCP: authorization code with PKCE, access tokens of ten minutes for one resource, refresh tokens that are used once. */
export function createAuthorizationServer(options: AuthorizationServerOptions) {
  const { sealing, baseUrl, fetchDocument } = options;
  const resource = mcpResource(baseUrl);
  const store = createStore({ ...options, resource });
  const { Prompt, Check } = interactionPolicy;
  const isAsked = new Check('consent_missing', 'the person decides each time', 'consent_required', (context) =>
    (context.oidc.result as { consent?: object } | undefined)?.consent === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  );
  const configuration: Configuration = {
    adapter: (kind: string) => store.adapterOf(kind),
    routes: { authorization: paths.authorize, token: paths.token, revocation: paths.revoke, jwks: paths.jwks },
    scopes: [mcpScope, 'offline_access'],
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    // Loopback addresses have any port then, and plain http leads nowhere else.
    clientDefaults: {
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'EdDSA',
    },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    jwks: { keys: sealing.deriveKeys('OAuth signing').map(toSigningKey) },
    cookies: {
      keys: sealing.deriveKeys('OAuth cookies').map((key) => key.toString('base64url')),
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: 10 * minuteSeconds,
      AuthorizationCode: minuteSeconds,
      Grant: appDays * daySeconds,
      IdToken: 10 * minuteSeconds,
      Interaction: 10 * minuteSeconds,
      RefreshToken: 30 * daySeconds,
      Session: 10 * minuteSeconds,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_context, wanted) {
          if (wanted !== resource) throw new errors.InvalidTarget(`tokens are for ${resource} alone`);
          return { scope: mcpScope, audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    interactions: {
      policy: [
        new Prompt({ name: 'login', requestable: true }),
        new Prompt({ name: 'consent', requestable: true }, isAsked),
      ] as unknown as interactionPolicy.DefaultPolicy,
      url: (_context, { uid }) => `${basePath(baseUrl)}${paths.interaction}/${uid}`,
    },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    async loadExistingGrant({ oidc }) {
      const { consent } = (oidc.result ?? {}) as { consent?: { grantId: string } };
      return consent === undefined ? undefined : oidc.provider.Grant.find(consent.grantId);
    },
    renderError(context, error, thrown) {
      const refusal = answerUnavailable(context, thrown) ?? error;
      // An error for a redirect has the status of one.
      if (context.status < 400) context.status = 400;
      context.type = 'text/plain; charset=utf-8';
      context.body = refusalText(refusal);
    },
  };
  // Else anybody could have any address called by asking for tokens: such calls have no limit of callers without a key.
  const allowFetch = async (context: KoaContextWithOIDC | undefined, clientId: string): Promise<boolean> =>
    !['token', 'revocation'].includes(context?.oidc?.route ?? '') ||
    (await options.em.fork().count(ConnectedApp, { clientId })) > 0;
  Object.assign(configuration, { fetch: fetchDocument });
  Object.assign(configuration.features!, { clientIdMetadataDocument: { enabled: true, ack: 'draft-02', allowFetch } });
  const provider = new Provider(issuerOf(baseUrl), configuration);
  provider.proxy = true;
  // RFC 9700 §4.11.2: anybody registers a client, and its errors lead nowhere before the person has decided. The library reads it after the event.
  const keepHere = ({ oidc }: KoaContextWithOIDC, error: Error & { allow_redirect?: boolean }): void => {
    const isDecided = oidc.params !== undefined && oidc.entities.Interaction?.result !== undefined;
    if (!isDecided) error.allow_redirect = false;
  };
  provider.on('authorization.error', keepHere);
  provider.on('server_error', keepHere);
  const note = (err: Error): void => oauthCall.getStore()?.log.error({ err }, 'the request failed');
  provider.on('server_error', (context, error) => {
    note(error);
    const refusal = answerUnavailable(context, error);
    if (refusal !== undefined) context.body = refusal;
  });
  // Else Koa writes what fails outside of a route to stderr.
  (provider as EventEmitter).on('error', note);
  const { prototype } = provider.Client;
  Object.assign(prototype, { responseModeAllowed: (mode: string) => mode === 'query' });
  const isRegistered = prototype.redirectUriAllowed;
  prototype.redirectUriAllowed = function allowed(uri) {
    return redirectHostOf(uri) !== undefined && isRegistered.call(this, uri);
  };
  return {
    provider,
    callback: provider.callback(),
    /** Checks and keeps a client that registers itself. @throws errors.OIDCProviderError */
    async register(metadata: { client_id: string } & Record<string, unknown>): Promise<Record<string, unknown>> {
      const client = newClient(provider, metadata);
      await store.store('Client', metadata.client_id, client.metadata(), unusedClientSeconds);
      return client.metadata();
    },
  };
}

export type AuthorizationServer = ReturnType<typeof createAuthorizationServer>;

/** The types know no metadata here. */
function newClient({ Client }: Provider, metadata: object) {
  const Checked = Client as unknown as new (metadata: object) => InstanceType<Provider['Client']>;
  return new Checked(metadata);
}

// The beginning of a private key of Ed25519 in PKCS #8 (RFC 8410 §7); 32 bytes follow.
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function toSigningKey(seed: Buffer, index: number): JWK {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  return { ...key.export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA', kid: `waymark-${index}` };
}
