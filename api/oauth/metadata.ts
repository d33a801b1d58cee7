import { mcpResource, mcpScope } from '#core/accounts/connected-apps.ts';

export const paths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  jwks: '/oauth/jwks',
  register: '/oauth/register',
  interaction: '/oauth/interaction',
} as const;

const resourcePath = '/.well-known/oauth-protected-resource';

/** What a client reads first, of a 401 of `/mcp` (RFC 9728). Below a path, a client asks for the path behind the well-known one too. */
export const resourceMetadataPaths = (baseUrl: string): string[] =>
  unique(['', '/mcp', basePath(baseUrl), `${basePath(baseUrl)}/mcp`].map((path) => `${resourcePath}${path}`));

/** RFC 8414. Of OpenID alone clients ask below the path of the issuer. */
export const serverMetadataPaths = (baseUrl: string): string[] =>
  unique(
    ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'].flatMap((path) => [
      path,
      `${path}${basePath(baseUrl)}`,
    ]),
  );

/** What pages of any origin may call, as nothing there looks at cookies. */
export const openPaths = (baseUrl: string): string[] => [
  '/mcp',
  paths.register,
  paths.token,
  paths.revoke,
  paths.jwks,
  ...resourceMetadataPaths(baseUrl),
  ...serverMetadataPaths(baseUrl),
];

const unique = (texts: string[]): string[] => [...new Set(texts)];

export function describeResource(baseUrl: string): object {
  return {
    resource: mcpResource(baseUrl),
    authorization_servers: [issuerOf(baseUrl)],
    scopes_supported: [mcpScope],
    bearer_methods_supported: ['header'],
    resource_name: 'Waymark',
  };
}

/** By hand, as it says less than the library can do: an idle start does not load it. */
export function describeServer(baseUrl: string): object {
  const issuer = issuerOf(baseUrl);
  const at = (path: string): string => `${issuer}${path}`;
  return {
    issuer,
    authorization_endpoint: at(paths.authorize),
    token_endpoint: at(paths.token),
    registration_endpoint: at(paths.register),
    revocation_endpoint: at(paths.revoke),
    jwks_uri: at(paths.jwks),
    scopes_supported: [mcpScope, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    // What OpenID Connect Discovery asks for.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  };
}

/** The header of a 401 of `/mcp`, which leads a client to the sign-in. */
export function challengeOf(baseUrl: string, error?: 'invalid_token'): string {
  const metadata = `resource_metadata="${issuerOf(baseUrl)}${resourcePath}/mcp"`;
  return `Bearer realm="waymark"${error === undefined ? '' : `, error="${error}"`}, ${metadata}`;
}

/** The public address of the API, without a slash at its end. */
export const issuerOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

/** The path of the API below its host, without a slash at its end. */
export const basePath = (baseUrl: string): string => new URL(issuerOf(baseUrl)).pathname.replace(/\/$/, '');
