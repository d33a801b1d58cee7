/** An OpenID Connect provider by which people sign in. */
export interface OidcProvider {
  /** The issuer's address, whose `/.well-known/openid-configuration` describes it. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** What has to be remembered between the two halves of a sign-in. */
interface OidcFlow {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** What a provider says of a person, by a signed ID token. */
export interface OidcClaims {
  issuer: string;
  /** The person's id at the issuer. */
  subject: string;
  email: string | undefined;
  /** Whether the provider says that it has checked the e-mail. */
  isEmailVerified: boolean;
  name: string | undefined;
}

/** Why a provider lets nobody in: `away`, it did not answer; `refused`, it or the check of its answer said no. */
export class OidcFailure extends Error {
  readonly reason: 'away' | 'refused';

  constructor(reason: OidcFailure['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OidcFailure';
    this.reason = reason;
  }
}

/** Asks OpenID Connect providers. Each call throws OidcFailure. */
export interface OidcClient {
  /** Begins a sign-in. @returns where the browser goes, and what `finish` needs. */
  begin(
    provider: OidcProvider,
    options: { redirectUri: string; email?: string | undefined },
  ): Promise<OidcFlow & { url: string }>;
  /** Ends a sign-in. @param callback the whole address to which the browser came back. */
  finish(provider: OidcProvider, callback: URL, flow: OidcFlow): Promise<OidcClaims>;
}

/** Why a sign-in by a provider came to nothing, as the sign-in page is told. */
const oidcProblems = [
  'provider-away',
  'provider-refused',
  'expired',
  'email-missing',
  'email-domain',
  'unknown-person',
  'no-organization',
  'suspended',
] as const;

export type OidcProblem = (typeof oidcProblems)[number];

export const oidcSecretPurpose = 'OIDC client secret';

/** The part of an e-mail address after its last @, in lower case. */
export function emailDomainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/**
 * The path of the console to which a sign-in leads: `next` where it is a path alone. An address of another site, also one that
 * browsers would read as such (`//host`, `/\host`), leads to the links.
 */
export function safePath(next: string | null | undefined): string {
  const origin = 'https://console.invalid';
  if (next === null || next === undefined || !/^\/(?![/\\])[^\s\\]*$/.test(next) || next.length > 2_000)
    return '/links';
  const url = URL.parse(next, origin);
  return url === null || url.origin !== origin || url.pathname.startsWith('//')
    ? '/links'
    : `${url.pathname}${url.search}`;
}
