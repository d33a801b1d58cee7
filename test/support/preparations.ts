import { createSealing } from '#adapters/sealing.ts';
import { invitationLink } from '#commands/organizations/invitations.ts';
import { totpCodeAt } from '#core/accounts/second-factors.ts';
import { resetTokenPurpose, writeSignedId } from '#core/secrets/signed-id.ts';
import { type TestApi, testSecretKey } from './api.ts';
import { createTestPasskey } from './authenticator.ts';
import { createDomain, createOrganization } from './factories.ts';
import type { TestOidc } from './oidc.ts';
import type { Input } from './operation-inputs.ts';
import {
  createOwnedOrganization,
  createPerson,
  createSignedIn,
  openTestSession,
  testOrigin,
  testPassword,
} from './people.ts';
import { insertRow } from './rows.ts';
import { addTestPasskey, addTotp, callAs, createAccount, forgetSteps, signInByPassword } from './second-factors.ts';
import { ingestClicks, testClick } from './stats.ts';
import type { Headers } from './walker.ts';

/** Parts of a call that stand in for those of its example, and its caller. */
type Prepared = Input & { headers?: Headers };

const asNobody = { 'x-api-key': undefined, origin: testOrigin };

/**
 * Prepares calls whose examples alone are refused: makes what they need, and names it in place of the ids and secrets of the example.
 * @returns for an operation what its call has besides its example; undefined where that needs nothing.
 */
export function createPreparations(api: TestApi, oidc: TestOidc) {
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

  async function withApp() {
    const { id, headers } = await createSignedIn(db, organization.id, 'owner');
    const app = await insertRow(db, 'connected_apps', { user_id: id, organization_id: organization.id });
    return { headers, path: { id: app.id } };
  }

  /** An owner whose organization signs the people of example.com in. */
  async function withProvider() {
    const { organizationId, headers, call } = await alone();
    await createDomain(db, organizationId, { domain: 'example.com' });
    const { issuer, clientId, clientSecret } = oidc;
    const body = { issuer, clientId, clientSecret, emailDomain: 'example.com' };
    await call('PUT', '/organization/oidc', body);
    return { headers, body };
  }
  // One domain has one provider.
  let provided: ReturnType<typeof withProvider> | undefined;
  const providedOnce = () => (provided ??= withProvider());

  /** An owner who has made a domain, which is checked and stands in the audit log. */
  async function withDomain() {
    const { headers, call } = await alone();
    const { id } = (await call('POST', '/domain', { domain: 'links.example.org' })).body;
    return { headers, id };
  }

  /** An owner whose one link was visited. */
  async function withClick(): Promise<Prepared> {
    const { organizationId, headers, call } = await alone();
    const destination = { type: 'link', value: 'https://example.com/spring?ref=mail' };
    const { id: linkId, domainId, folderId } = (await call('POST', '/short-link', { destination })).body;
    const visitor = { country: 'DE', continent: 'EU', region: 'Berlin', city: 'Berlin', lang: 'de' };
    const device = { device: 'mobile', browser: 'Chrome', os: 'Android', referer: 'news.example.org' };
    const click = { organizationId, linkId, domainId, folderId, ...visitor, ...device, destination: destination.value };
    await ingestClicks(db, [testClick(click)]);
    return { headers };
  }

  /** An owner who was refused once. */
  async function withRefusal() {
    const { headers, call } = await alone();
    const { requestId } = (await call('POST', '/folder', { name: 'Spring', color: 'green' })).body;
    await api.requestLog.flush();
    return { headers, requestId };
  }

  const days = { startDate: '2026-03-14T00:00:00.000Z', endDate: '2026-03-17T00:00:00.000Z' };

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
    async moveShortLink() {
      const { organizationId, headers, call } = await alone();
      await createDomain(db, organizationId, { domain: 'links.example.com' });
      const destination = { type: 'link', value: 'https://example.com/spring?ref=mail' };
      return { headers, path: { id: (await call('POST', '/short-link', { destination })).body.id } };
    },
    getClicksOverTime: async () => ({ query: days }),
    getStatsReport: async () => ({ query: { ...days, groupBys: ['country'] } }),
    listClicks: withClick,
    exportClicks: withClick,
    async exportShortLinks() {
      const { headers, call } = await alone();
      const destination = { type: 'link', value: 'https://example.com/autumn' };
      await call('POST', '/short-link', { slug: 'autumn-sale', title: 'Autumn', destination, tags: ['sale'] });
      return { headers };
    },
    async listEvents() {
      const { organizationId, headers, call } = await alone();
      await call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/winter' } });
      // Listed some seconds after it happened.
      await db.query(`update events set created_at = created_at - interval '1 hour' where organization_id = $1`, [
        organizationId,
      ]);
      return { headers };
    },
    async getProcesses() {
      const { headers, id } = await withDomain();
      return { headers, query: { subject: id } };
    },
    listProcesses: async () => ({ headers: (await withDomain()).headers }),
    listAuditLog: async () => ({ headers: (await withDomain()).headers }),
    exportAuditLog: async () => ({ headers: (await withDomain()).headers, query: { format: 'json' } }),
    listRequestLog: async () => ({ headers: (await withRefusal()).headers }),
    async getLoggedCall() {
      const { headers, requestId } = await withRefusal();
      return { headers, path: { id: requestId } };
    },
    async startOidc() {
      await providedOnce();
      return { headers: asNobody };
    },
    setOidcProvider: providedOnce,
    removeOidcProvider: async () => ({ headers: (await providedOnce()).headers }),
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
    disconnectApp: () => withApp(),
    listConnectedApps: async () => ({ headers: (await withApp()).headers }),
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
