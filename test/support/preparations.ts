import { createSealing } from '#adapters/sealing.ts';
import { invitationLink } from '#commands/organizations/invitations.ts';
import { totpCodeAt } from '#core/accounts/second-factors.ts';
import { resetTokenPurpose, writeSignedId } from '#core/secrets/signed-id.ts';
import { type TestApi, testSecretKey } from './api.ts';
import { createTestPasskey } from './authenticator.ts';
import { createOrganization } from './factories.ts';
import type { Input } from './operation-inputs.ts';
import {
  createOwnedOrganization,
  createPerson,
  createSignedIn,
  openTestSession,
  testOrigin,
  testPassword,
} from './people.ts';
import { addTestPasskey, addTotp, callAs, createAccount, forgetSteps, signInByPassword } from './second-factors.ts';
import type { Headers } from './walker.ts';

/** Parts of a call that stand in for those of its example, and its caller. */
type Prepared = Input & { headers?: Headers };

const asNobody = { 'x-api-key': undefined, origin: testOrigin };

/**
 * Prepares calls whose examples alone are refused: makes what they need, and names it in place of the ids and secrets of the example.
 * @returns for an operation what its call has besides its example; undefined where that needs nothing.
 */
export function createPreparations(api: TestApi) {
  const { db, organization } = api;
  const sealing = createSealing([testSecretKey]);

  /** An owner in an organization of their own, whose changes show in no other answer. */
  async function alone() {
    const { owner, id: organizationId } = await createOwnedOrganization(db);
    const headers = await openTestSession(db, owner.id, organizationId);
    return { organizationId, headers, call: callAs(api, headers) };
  }

  async function member(): Promise<Prepared> {
    return { path: { id: (await createPerson(db, { [organization.id]: 'member' })).id } };
  }

  /** A delivery that a webhook was tried with. */
  async function delivery(): Promise<Prepared> {
    const { headers, call } = await alone();
    const hook = { url: 'https://hooks.example.com/waymark', events: ['link.created'] };
    const { id } = (await call('POST', '/webhook', hook)).body;
    const made = await call('POST', `/webhook/${id}/test`, {});
    return { headers, path: { id, deliveryId: made.body.id } };
  }

  async function invitation() {
    const { call } = await alone();
    const email = `invited-${organization.id}-${(invitations += 1)}@example.com`;
    const { id } = (await call('POST', '/organization/invitations', { email, role: 'member' })).body;
    const links = { sealing, baseUrl: testOrigin };
    return { email, token: invitationLink(id, links, true).replace(/^.*token=/, '') };
  }
  let invitations = 0;

  async function withTotp() {
    const account = await createAccount(api);
    const { secret } = await addTotp(api, account);
    await forgetSteps(api, account);
    return { ...account, code: totpCodeAt(secret, new Date()) };
  }

  async function withPasskey() {
    const account = await createAccount(api);
    return { ...account, ...(await addTestPasskey(api, account)) };
  }

  const preparations: Readonly<Record<string, () => Promise<Prepared>>> = {
    // The link of the example of a create.
    lookupShortLink: async () => ({ query: { domain: 'localhost:3001', slug: 'spring-sale' } }),
    async undoShortLinkChange() {
      const { headers, call } = await alone();
      const destination = { type: 'link', value: 'https://example.com/spring?ref=mail' };
      const { id } = (await call('POST', '/short-link', { destination, title: 'Spring' })).body;
      await call('PATCH', `/short-link/${id}`, { title: 'Summer' });
      const changeId = (await call('GET', `/short-link/${id}/history`)).body.data[0].id;
      return { headers, path: { id, changeId } };
    },
    getWebhookDelivery: delivery,
    redeliverWebhookDelivery: delivery,
    async recoverWebhookEvents() {
      const { headers, path } = await delivery();
      return { headers, path: { id: path!.id! }, body: { since: new Date(Date.now() - 3_600_000).toISOString() } };
    },
    updateMember: member,
    removeMember: member,
    async transferOwnership() {
      const { organizationId, headers } = await alone();
      return { headers, body: { userId: (await createPerson(db, { [organizationId]: 'admin' })).id } };
    },
    async deleteOrganization() {
      const { headers, call } = await alone();
      return { headers, query: { name: (await call('GET', '/organization')).body.name } };
    },
    async getOrganizationDeletion() {
      const { call } = await alone();
      const { name } = (await call('GET', '/organization')).body;
      const { body } = await call('DELETE', `/organization?name=${encodeURIComponent(name)}`);
      return { headers: asNobody, query: { token: body.progressToken } };
    },
    async readInvitation() {
      return { headers: asNobody, body: { token: (await invitation()).token } };
    },
    async acceptInvitation() {
      const { token } = await invitation();
      return { headers: asNobody, body: { token, name: 'Grace Hopper', password: 'correct horse battery staple' } };
    },
    async joinByInvitation() {
      const { token, email } = await invitation();
      const { id: home } = await createOrganization(db);
      const { id } = await createPerson(db, { [home]: 'owner' }, { email });
      return { headers: await openTestSession(db, id, home), body: { token } };
    },
    async endSession() {
      const { id, headers } = await createSignedIn(db, organization.id, 'owner');
      await openTestSession(db, id, organization.id);
      const { data } = (await callAs(api, headers)('GET', '/auth/sessions')).body;
      return { headers, path: { id: data.find((session: { isCurrent: boolean }) => !session.isCurrent).id } };
    },
    async signIn() {
      const { email } = await createPerson(db, { [(await createOrganization(db)).id]: 'owner' });
      return { body: { email, password: testPassword } };
    },
    async switchOrganization() {
      const { id: home } = await createOrganization(db);
      const { id: other } = await createOrganization(db);
      const person = await createPerson(db, { [home]: 'owner', [other]: 'member' });
      return { headers: await openTestSession(db, person.id, home), body: { id: other } };
    },
    async changePassword() {
      return { headers: (await alone()).headers, body: { current: testPassword, next: 'an even better one' } };
    },
    async resetPassword() {
      const { id, email } = await createPerson(db, { [(await createOrganization(db)).id]: 'owner' });
      await callAs(api)('POST', '/auth/password/forgot', { email });
      const { rows } = await db.query<{ id: string }>('select id from password_resets where user_id = $1', [id]);
      const token = writeSignedId(rows[0]!.id, sealing.deriveKeys(resetTokenPurpose)[0]!);
      return { headers: asNobody, body: { token, newPassword: 'an even better one' } };
    },
    async signInSecondStep() {
      const { email, code } = await withTotp();
      return { headers: asNobody, body: { token: (await signInByPassword(api, email)).body.token, code } };
    },
    askForPasskey: async () => ({ headers: asNobody, body: {} }),
    async signInByPasskey() {
      const { passkey } = await withPasskey();
      const { token, options } = (await callAs(api)('POST', '/auth/login/passkey-options', {})).body;
      return { headers: asNobody, body: { token, passkey: passkey.sign(options.challenge) } };
    },
    beginTotp: async () => ({ headers: (await createAccount(api)).headers }),
    async confirmTotp() {
      const { headers } = await createAccount(api);
      const { secret } = (await callAs(api, headers)('POST', '/auth/second-factors/totp')).body;
      return { headers, body: { code: totpCodeAt(secret, new Date()) } };
    },
    removeTotp: async () => ({ headers: (await withTotp()).headers }),
    renewRecoveryCodes: async () => ({ headers: (await withTotp()).headers }),
    async confirmSession() {
      const { headers, code } = await withTotp();
      return { headers, body: { code } };
    },
    beginPasskey: async () => ({ headers: (await createAccount(api)).headers }),
    async addPasskey() {
      const { headers } = await createAccount(api);
      const { token, options } = (await callAs(api, headers)('POST', '/auth/second-factors/passkeys/options')).body;
      const passkey = createTestPasskey().register(options.challenge);
      return { headers, body: { token, name: 'Work laptop', passkey } };
    },
    async renamePasskey() {
      const { headers, answer } = await withPasskey();
      return { headers, path: { id: answer.body.id } };
    },
    async removePasskey() {
      const { headers, answer } = await withPasskey();
      return { headers, path: { id: answer.body.id } };
    },
    askForConfirmingPasskey: async () => ({ headers: (await withPasskey()).headers }),
  };
  return async (operationId: string): Promise<Prepared | undefined> => preparations[operationId]?.();
}
