import { totpCodeAt } from '#core/accounts/second-factors.ts';
import type { Answer, TestApi } from './api.ts';
import { createTestPasskey, type TestPasskey } from './authenticator.ts';
import { createPerson, testOrigin, testPassword, type TestPerson } from './people.ts';

type Headers = Record<string, string | undefined>;

/** A person who is signed in by their password, with what they have to sign in again. */
export interface TestAccount extends TestPerson {
  headers: Headers;
}

/** Headers of a page of the API's own, signed in by the cookie of an answer. */
export function headersOf(answer: Answer): Headers {
  const cookie = String(answer.headers['set-cookie']).split(';')[0];
  return { 'x-api-key': undefined, cookie, origin: testOrigin };
}

/** Calls by a browser that is not signed in, or whose cookies are in the headers. */
export function callAs(api: TestApi, headers: Headers = {}) {
  return (method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT', url: string, body?: object): Promise<Answer> =>
    api.call(method, url, body, { headers: { 'x-api-key': undefined, origin: testOrigin, ...headers } });
}

/** Signs a person in by the password. */
export function signInByPassword(api: TestApi, email: string, password = testPassword): Promise<Answer> {
  return callAs(api)('POST', '/auth/login', { email, password });
}

/** Makes a person who is signed in, without a second factor. */
export async function createAccount(
  api: TestApi,
  role: 'owner' | 'admin' | 'member' = 'owner',
  options: { email?: string } = {},
): Promise<TestAccount> {
  const person = await createPerson(api.db, { [api.organization.id]: role }, options);
  return { ...person, headers: headersOf(await signInByPassword(api, person.email)) };
}

/** Adds an authenticator app. @returns its secret, and recovery codes where it is the first factor. */
export async function addTotp(
  api: TestApi,
  { headers }: TestAccount,
): Promise<{ secret: string; recoveryCodes: string[] | null }> {
  const call = callAs(api, headers);
  const { secret } = (await call('POST', '/auth/second-factors/totp')).body;
  const code = totpCodeAt(secret, new Date());
  const { recoveryCodes } = (await call('POST', '/auth/second-factors/totp/confirm', { code })).body;
  return { secret, recoveryCodes };
}

/** Lets codes of the last steps count again. */
export async function forgetSteps(api: TestApi, { id }: { id: string }): Promise<void> {
  await api.db.query('update totp_factors set last_step = 0 where user_id = $1', [id]);
}

/** Adds a passkey. */
export async function addTestPasskey(
  api: TestApi,
  { headers }: TestAccount,
  name = 'Work laptop',
): Promise<{ passkey: TestPasskey; answer: Answer }> {
  const call = callAs(api, headers);
  const { token, options } = (await call('POST', '/auth/second-factors/passkeys/options')).body;
  const passkey = createTestPasskey();
  const body = { token, name, passkey: passkey.register(options.challenge) };
  return { passkey, answer: await call('POST', '/auth/second-factors/passkeys', body) };
}

/** Makes the confirmation of all sessions of a person older than 15 minutes. */
export async function outdateConfirmation(api: TestApi, { id }: { id: string }): Promise<void> {
  await api.db.query(
    `update sessions set confirmed_at = confirmed_at - interval '16 minutes', second_factor_at = second_factor_at - interval '16 minutes' where user_id = $1`,
    [id],
  );
}
