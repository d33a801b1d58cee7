import { createHash, randomBytes } from 'node:crypto';
import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { uuidv7 } from '#core/lib/uuid.ts';
import type { Sql } from '#db/connection/database.ts';
import type { TestApi } from './api.ts';
import { createDomain, createOrganization } from './factories.ts';
import { createSignedIn, testOrigin } from './people.ts';

export const redirectUri = 'http://127.0.0.1:4711/callback';

/** An MCP client that a person connects, by the official library. Its state is open to tests. */
export interface TestApp {
  readonly client: Client;
  authorizationUrl: URL | undefined;
  information: StoredOAuthClientInformation | undefined;
  tokens: StoredOAuthTokens | undefined;
  /** Connects, or notes `authorizationUrl` and returns false where a person must sign in. */
  connect(): Promise<boolean>;
  /** Ends the sign-in by the address to which the browser was led back. */
  finish(callback: string): Promise<void>;
}

let machines = 0;
/** An address of a machine of its own: limits of the others do not hold for it. */
export const nextMachine = (): string => `10.1.${(machines += 1) >> 8}.${machines & 255}`;

/** @param address where the API listens; it calls itself `origin`. @param redirectUrl where the app listens. */
export function createTestApp(
  address: string,
  name = 'Claude Desktop',
  {
    origin = testOrigin,
    redirectUrl = redirectUri,
    path = '',
    fetchIt = fetch,
  }: {
    origin?: string;
    redirectUrl?: string;
    path?: string;
    fetchIt?: (url: string, init?: RequestInit) => Promise<Response>;
  } = {},
): TestApp {
  const machine = nextMachine();
  const fetchThere: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-forwarded-for', machine);
    const url = String(input instanceof Request ? input.url : input);
    return fetchIt(url.replace(origin, address), { ...init, headers });
  };
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    get clientMetadata(): OAuthClientMetadata {
      return { client_name: name, redirect_uris: [redirectUrl], grant_types: ['authorization_code', 'refresh_token'] };
    },
    clientInformation: () => app.information,
    saveClientInformation: (information) => void (app.information = information),
    tokens: () => app.tokens,
    saveTokens: (tokens) => void (app.tokens = tokens),
    redirectToAuthorization: (url) => void (app.authorizationUrl = url),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    state: () => 'a state',
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
  };
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${path}/mcp`, origin), { authProvider: provider, fetch: fetchThere });
  let transport = open();
  const app: TestApp = {
    client: new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }),
    authorizationUrl: undefined,
    information: undefined,
    tokens: undefined,
    async connect() {
      transport = open();
      try {
        await app.client.connect(transport);
        return true;
      } catch (error) {
        if (error instanceof UnauthorizedError) return false;
        throw error;
      }
    },
    finish: (callback) => transport.finishAuth(new URL(callback).searchParams),
  };
  return app;
}

/** A browser with cookies, as far as sign-ins of apps need one. @param headers of a session of the console. */
export function createTestBrowser(address: string, { cookie, origin }: { cookie: string; origin: string }) {
  const machine = nextMachine();
  const jar = new Map<string, { value: string; path: string }>();

  async function send(method: 'GET' | 'POST', url: string, body?: object): Promise<Response> {
    const { pathname } = new URL(url);
    const own = [...jar].flatMap(([name, { value, path }]) => (pathname.startsWith(path) ? `${name}=${value}` : []));
    const answer = await fetch(url.replace(testOrigin, address), {
      method,
      redirect: 'manual',
      headers: {
        cookie: [cookie, ...own].join('; '),
        'x-forwarded-for': machine,
        ...(method === 'POST' && { origin, 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      const path = /path=([^;]+)/i.exec(text)?.[1] ?? '/';
      if (value === '') jar.delete(name);
      else jar.set(name, { value, path });
    }
    return answer;
  }

  /** Follows redirects within the API. @returns the first address beyond it, or beyond `until`. */
  async function follow(url: string, until = '/console/'): Promise<string> {
    let next = url;
    for (let hop = 0; hop < 8 && next.startsWith(testOrigin) && !new URL(next).pathname.startsWith(until); hop += 1) {
      const answer = await send('GET', next);
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${next} answered ${answer.status}: ${await answer.text()}`);
      next = new URL(location, next).href;
    }
    return next;
  }

  const pathOf = (consolePage: string): string =>
    `${testOrigin}/oauth/interaction/${new URL(consolePage).searchParams.get('request')}`;

  return {
    send,
    follow,
    /** What the console shows of a request. */
    read: async (consolePage: string) => send('GET', `${pathOf(consolePage)}/request`),
    decide: async (consolePage: string, decision: 'allow' | 'refuse', body?: object) =>
      send('POST', `${pathOf(consolePage)}/${decision}`, body),
    /** Lets an app in. @returns the address with the code to which the browser is led back. */
    async allow(authorizationUrl: URL, organizationId: string): Promise<string> {
      const consolePage = await follow(authorizationUrl.href);
      const answer = await send('POST', `${pathOf(consolePage)}/allow`, { organizationId });
      if (answer.status !== 200) throw new Error(`allow answered ${answer.status}: ${await answer.text()}`);
      return follow(((await answer.json()) as { returnTo: string }).returnTo);
    },
  };
}

/** Makes the sessions of a person ones by the identity provider of an organization. */
export async function bindToProvider(db: Sql, userId: string, organizationId: string): Promise<void> {
  const { domain } = await createDomain(db, organizationId);
  await db.query(
    `insert into oidc_providers (organization_id, issuer, client_id, client_secret_sealed, email_domain, created_at, updated_at)
     values ($1, 'https://login.example.com', 'waymark', '', $2, now(), now())`,
    [organizationId, domain],
  );
  await db.query('update sessions set is_by_provider = true, organization_id = $2 where user_id = $1', [
    userId,
    organizationId,
  ]);
}

/** An app that a person has let in. @returns its id. */
export async function insertApp(
  db: Sql,
  { userId, organizationId, clientId }: { userId: string; organizationId: string; clientId: string },
): Promise<string> {
  const id = uuidv7();
  await db.query(
    `insert into connected_apps (id, organization_id, user_id, client_id, name, redirect_host, is_by_provider, created_at, last_used_at, expires_at)
     values ($1, $2, $3, $4, 'App', 'app.example', false, now(), now(), now() + interval '90 days')`,
    [id, organizationId, userId, clientId],
  );
  return id;
}

/** A member of an organization of its own, with a browser that is signed in. */
export async function createAppUser(api: TestApi, address: string, role: 'owner' | 'member' = 'owner') {
  const organization = await createOrganization(api.db, { plan: 'premium' });
  const person = await createSignedIn(api.db, organization.id, role);
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    api.call(method, path, body, { headers: person.headers });
  return { organization, person, browser: createTestBrowser(address, person.headers), call };
}
/** Registers a client, as programs do that have no metadata document. */
export async function registerClient({ app }: Pick<TestApi, 'app'>, body: object, remoteAddress = nextMachine()) {
  const answer = await app.inject({ method: 'POST', url: '/oauth/register', payload: body, remoteAddress });
  return { status: answer.statusCode, body: answer.json() };
}

/** The address that an app opens in the browser. */
export function authorizationOf(clientId: string, more: Record<string, string | undefined> = {}): string {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/oauth/authorize', testOrigin);
  const fields = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'mcp',
    resource: `${testOrigin}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  };
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
