import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A person as the provider knows them. */
export interface OidcPerson {
  id: string;
  email?: string;
  /** Default: true. */
  email_verified?: boolean | undefined;
  name?: string;
}

/** A real OpenID Connect provider on loopback. */
export interface TestOidc {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next; undefined: the person refuses. */
  person: OidcPerson | undefined;
  /** Hints that the client gave. */
  readonly hints: string[];
  /** Ends it, as a provider that is away, and begins it again at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const livesSeconds = 600;
const clientId = 'waymark';
const clientSecret = 'a secret of the tests, long enough for any signature';

/** Starts a provider whose sign-in page signs `person` in without a question. @param redirectUri of the client; a pattern: any that matches. */
export async function startOidc(redirectUri: string | RegExp): Promise<TestOidc> {
  const people = new Map<string, OidcPerson>();
  const hints: string[] = [];
  let server: Server | undefined;
  let port = 0;
  // The provider is made once its port is known.
  const answer: { by?: (...given: Parameters<ReturnType<Provider['callback']>>) => unknown } = {};
  const oidc: TestOidc = {
    get issuer() {
      return `http://127.0.0.1:${port}`;
    },
    clientId,
    clientSecret,
    person: undefined,
    hints,
    async start() {
      server = createServer((request, response) => void answer.by?.(request, response));
      await new Promise<void>((resolve) => server!.listen(port, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
    },
    async stop() {
      const ended = server;
      server = undefined;
      ended?.closeAllConnections();
      await new Promise((resolve) => (ended === undefined ? resolve(undefined) : ended.close(resolve)));
    },
    [Symbol.asyncDispose]: () => oidc.stop(),
  };
  await oidc.start();
  const provider = new Provider(oidc.issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [typeof redirectUri === 'string' ? redirectUri : 'http://localhost/any'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    jwks: { keys: [{ ...signingKey, use: 'sig', alg: 'RS256', kid: 'tests' }] },
    ttl: {
      AccessToken: livesSeconds,
      Grant: livesSeconds,
      IdToken: livesSeconds,
      Interaction: livesSeconds,
      Session: livesSeconds,
    },
    // The e-mail is in the ID token, as with most providers; the spec leaves it to the user info.
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => {
      const { id: sub, ...claims } = { email_verified: true, ...(people.get(id) ?? { id }) };
      return { accountId: id, claims: () => ({ sub, ...claims }) };
    },
    async loadExistingGrant({ oidc: { client, session, provider: own } }) {
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  if (typeof redirectUri !== 'string') provider.Client.prototype.redirectUriAllowed = (uri) => redirectUri.test(uri);
  const callback = provider.callback();
  answer.by = async (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return callback(request, response);
    const { params } = await provider.interactionDetails(request, response);
    if (typeof params.login_hint === 'string') hints.push(params.login_hint);
    const { person } = oidc;
    if (person === undefined) {
      const refusal = { error: 'access_denied', error_description: 'The person refused.' };
      return provider.interactionFinished(request, response, refusal);
    }
    people.set(person.id, person);
    return provider.interactionFinished(request, response, { login: { accountId: person.id, remember: false } });
  };
  return oidc;
}

/**
 * Follows the redirects of a provider as a browser does, with its cookies. @returns the address, outside of the provider, to which it
 * leads.
 */
export async function followProvider(url: string): Promise<string> {
  const { origin } = new URL(url);
  const jar = new Map<string, string>();
  let next = url;
  for (let hop = 0; hop < 10 && next.startsWith(origin); hop += 1) {
    const answer = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]!.split('=', 2);
      if (value === '') jar.delete(name);
      else jar.set(name, cookie.split(';', 1)[0]!.slice(name.length + 1));
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next).href;
  }
  return next;
}
