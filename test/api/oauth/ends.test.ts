import { beforeAll, expect, it } from 'vitest';
import { removeStaff, setPassword } from '#commands/accounts/people.ts';
import { erasePerson } from '#commands/accounts/person-erasure.ts';
import { resetSecondFactors } from '#commands/accounts/second-factors.ts';
import { handOver } from '#commands/accounts/verification.ts';
import { deleteOrganization } from '#commands/organizations/organizations.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createAppUser, createTestApp } from '#test/support/oauth.ts';
import { addTotp, headersOf, signInByPassword } from '#test/support/second-factors.ts';
import { useStaff } from '#test/support/tools.ts';

const api = useOwnTestApi({ trustedProxies: ['127.0.0.1'] });
const staff = useStaff(api);
let address: string;
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

type Ending = (user: Awaited<ReturnType<typeof createAppUser>>) => Promise<unknown>;
const now = new Date();

const endings: [string, Ending][] = [
  [
    'a new second factor',
    async ({ person }) => {
      await addTotp(api, { ...person, headers: headersOf(await signInByPassword(api, person.email)) });
    },
  ],
  [
    'the reset of second factors',
    async ({ person: { id } }) => {
      await api.db.query(
        `insert into totp_factors (user_id, secret_sealed, last_step, created_at, confirmed_at) values ($1, '', 0, now(), now())`,
        [id],
      );
      await api.em.transactional((em) => resetSecondFactors(em, id));
    },
  ],
  [
    'the loss of staff rights',
    async ({ person: { id, email } }) => {
      await api.db.query('update users set is_staff = true where id = $1', [id]);
      await api.em.transactional((em) => removeStaff(em, email));
    },
  ],
  ['the end of all sessions by staff', ({ person: { id } }) => staff.tools.people.endSessions.mutate({ id })],
  [
    'a password that is set anew',
    ({ person: { id } }) => api.em.transactional((em) => setPassword(em, id, 'another hash')),
  ],
  [
    'an account that is handed over',
    async ({ person: { id } }) => {
      await api.db.query('update users set email_verified_at = null where id = $1', [id]);
      await api.em.transactional((em) => handOver(em, id, now));
    },
  ],
  ['the erasure of its person', ({ person: { email } }) => api.em.transactional((em) => erasePerson(em, email, now))],
  [
    'the deletion of its organization',
    ({ organization: { id } }) => api.em.transactional((em) => deleteOrganization(em, id, now)),
  ],
];

it.each(endings)('an app ends at once with %s', async (_name, end) => {
  const [user, other] = [await createAppUser(api, address, 'member'), await createAppUser(api, address)];
  const [token, kept] = [await tokenOf(user), await tokenOf(other)];
  expect(await statusBy(token)).toBe(200);
  await end(user);
  expect(await statusBy(token)).toBe(401);
  expect(await statusBy(kept)).toBe(200);
});

/** Lets an app in. @returns its access token. */
async function tokenOf({ browser, organization }: Awaited<ReturnType<typeof createAppUser>>): Promise<string> {
  const app = createTestApp(address);
  await app.connect();
  await app.finish(await browser.allow(app.authorizationUrl!, organization.id));
  return app.tokens!.access_token;
}

/** The status of a call of `/mcp`. */
async function statusBy(token: string): Promise<number> {
  const { statusCode } = await api.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  return statusCode;
}
