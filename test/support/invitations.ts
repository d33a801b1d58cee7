import { createSealing } from '#adapters/sealing.ts';
import { invitationLink } from '#commands/organizations/invitations.ts';
import { type TestApi, testSecretKey } from './api.ts';
import { createOrganization } from './factories.ts';
import { createSignedIn, testOrigin } from './people.ts';

/** Where invitations of an organization are made, listed and revoked. */
export const invitationsPath = '/organization/invitations';
/** Headers of a page of the API's own, without a key and a session. */
export const asNobody = { 'x-api-key': undefined, origin: testOrigin };
/** The answer to a token that works no longer. */
export const endedToken = { status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path: 'token' }] } };

let count = 0;
/** Makes an e-mail address that no account has. */
export const newEmail = (): string => `invited-${Date.now()}-${(count += 1)}@example.com`;

/** The token of the link that an invitation is mailed with, or that its maker passes on. */
export const tokenOf = (id: string, isMailed = true): string => {
  const links = { sealing: createSealing([testSecretKey]), baseUrl: 'http://localhost:3000' };
  return invitationLink(id, links, isMailed).replace(/^.*token=/, '');
};

/** Makes functions that invite people by an API, and accept as them. */
export function createInviting(api: TestApi) {
  async function createHost(role: 'owner' | 'admin' | 'member' = 'owner') {
    const organization = await createOrganization(api.db);
    const host = await createSignedIn(api.db, organization.id, role);
    const call = (method: 'GET' | 'POST' | 'DELETE', target: string, body?: object, headers: object = {}) =>
      api.call(method, target, body, { headers: { ...host.headers, ...headers } });
    const invite = (email = newEmail(), as = 'member', key?: string) =>
      call('POST', invitationsPath, { email, role: as }, key === undefined ? {} : { 'idempotency-key': key });
    return { organization, call, invite };
  }

  const post = (target: string, body: object, headers: Record<string, string | undefined> = asNobody) =>
    api.call('POST', target, body, { headers: headers as Record<string, string> });
  const accept = (token: string, rest: object = { name: 'Grace Hopper', password: 'a new long password' }) =>
    post('/auth/invitation/accept', { token, ...rest });

  return { createHost, post, accept };
}
