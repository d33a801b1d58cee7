import { queryOptions } from '@tanstack/react-query';
import { call } from '#console/api/client.ts';
import { ApiError } from '#console/api/error.ts';
import { readQuery } from '#console/api/query.ts';
import type { OwnOrganizations, Session } from '#console/api/types.ts';

/** The session of this browser; null where no one is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 5 * 60_000,
  queryFn: ({ signal }) => readSession(signal),
});

/** The session as the API has it now; null where no one is signed in. */
export async function readSession(signal?: AbortSignal): Promise<Session | null> {
  try {
    return await call<Session>('GET', '/auth/session', { signal, isSignIn: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** The person's organizations, also where the session's own one is suspended. */
export const ownOrganizationsQuery = readQuery<OwnOrganizations>(['own-organizations'], '/auth/organizations');

/** Begins a session. @throws ApiError UNAUTHORIZED for a wrong password. */
export function signIn(body: { email: string; password: string }): Promise<Session> {
  return call<Session>('POST', '/auth/login', { body, isSignIn: true });
}

export function signOut(): Promise<unknown> {
  return call('POST', '/auth/logout', { isSignIn: true });
}

/** Moves the session to another organization of the person. */
export function switchOrganization(id: string): Promise<Session> {
  return call<Session>('POST', '/auth/organization', { body: { id } });
}

/** Asks for a mail with a link for a new password. The answer is the same whether or not an account has the e-mail. */
export function forgotPassword(email: string): Promise<unknown> {
  return call('POST', '/auth/password/forgot', { body: { email }, isSignIn: true });
}

/** Sets a new password by the token of a mail, and begins a session. @throws ApiError VALIDATION_ERROR at `token` or `newPassword`. */
export function resetPassword(body: { token: string; newPassword: string }): Promise<Session> {
  return call<Session>('POST', '/auth/password/reset', { body, isSignIn: true });
}
