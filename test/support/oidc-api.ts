import { beforeEach, expect } from 'vitest';
import { createOidcClient } from '#adapters/oidc.ts';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { useOwnTestApi } from './api.ts';
import { createDomain, createOrganization } from './factories.ts';
import { useFixture } from './fixture.ts';
import { followProvider, startOidc } from './oidc.ts';
import { createSignedIn, testOrigin } from './people.ts';

const base = 'http://localhost:3000';
let count = 0;

/** An API with two providers on loopback, one of the installation and one for organizations, and a browser that signs in by them. */
export function useOidcApi() {
  const installationOidc = useFixture(() => startOidc(`${base}/auth/oidc/callback`));
  const organizationOidc = useFixture(() =>
    startOidc(/^http:\/\/localhost:3000\/auth\/oidc\/callback\/[0-9a-f-]{36}$/),
  );
  const http = useFixture(() => {
    const client = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
    return { ...client, [Symbol.asyncDispose]: () => client.close() };
  });
  const api = useOwnTestApi(() => {
    const { issuer, clientId, clientSecret } = installationOidc;
    const client = createOidcClient({ http });
    const installation = { name: 'Example Login', provider: { issuer, clientId, clientSecret } };
    return { oidc: { installation, trusted: client, guarded: client } };
  });
  const publicHeaders = { 'x-api-key': undefined, origin: testOrigin };

  beforeEach(() => {
    installationOidc.person = undefined;
    organizationOidc.person = undefined;
  });

  /** Begins a sign-in. @returns the answer, and the cookie that the browser keeps. */
  async function start(body: object = {}) {
    const answer = await api.call('POST', '/auth/oidc/start', body, { headers: publicHeaders });
    const cookie = String(answer.headers['set-cookie'] ?? '').split(';', 1)[0]!;
    return { ...answer, cookie };
  }

  /** Ends a sign-in at the address to which the provider leads. */
  async function finish(address: string, cookie: string) {
    const answer = await api.app.inject({
      url: address.slice(base.length),
      headers: {
        cookie,
        'sec-fetch-site': 'cross-site',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0',
      },
    });
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0]!);
    const session = cookies.find((one) => /^waymark=./.test(one));
    return { status: answer.statusCode, location: String(answer.headers.location), session, cookies };
  }

  /** A whole sign-in. */
  async function signIn(body: object = {}) {
    const { status, body: started, cookie } = await start(body);
    expect(status).toBe(200);
    return finish(await followProvider(started.url), cookie);
  }

  const whoIs = async (session: string | undefined) =>
    (await api.call('GET', '/auth/session', undefined, { headers: { 'x-api-key': undefined, cookie: session } })).body;

  /** An organization that signs the people of a verified domain in. */
  async function createWithProvider() {
    const organization = await createOrganization(api.db);
    const owner = await createSignedIn(api.db, organization.id, 'owner');
    const domain = await createDomain(api.db, organization.id);
    const { issuer, clientId, clientSecret } = organizationOidc;
    const draft = { issuer, clientId, clientSecret, emailDomain: domain.domain };
    const put = (body: object = draft, headers: object = owner.headers) =>
      api.call('PUT', '/organization/oidc', body, { headers: headers as Record<string, string> });
    return { organization, owner, domain, draft, put };
  }

  const unique = (): string => `${Date.now()}-${(count += 1)}`;

  return {
    api,
    base,
    createWithProvider,
    finish,
    http,
    installationOidc,
    organizationOidc,
    publicHeaders,
    signIn,
    start,
    unique,
    whoIs,
  };
}
