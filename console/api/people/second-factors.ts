import type { output } from 'zod';
import type {
  addedPasskeySchema,
  addedTotpSchema,
  confirmedSchema,
  passkeyCreationSchema,
  passkeyRequestSchema,
  passkeySchema,
  recoveryCodesSchema,
  secondFactorsSchema,
  totpSecretSchema,
} from '#api/auth/factors/schema.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';
import type { Session } from '#console/api/types.ts';

/** By what a person shows that it is them. */
export type ProofMethod = 'password' | 'totp' | 'passkey' | 'recoveryCode';

/** A proof that is typed. */
export type TypedProof = { password: string } | { code: string } | { recoveryCode: string };

export type Passkey = output<typeof passkeySchema>;

/** What an authenticator app needs. */
export type TotpSecret = output<typeof totpSecretSchema>;

/** How a browser asks for a passkey, and how it makes one. */
export type PasskeyRequest = output<typeof passkeyRequestSchema>;
export type PasskeyCreation = output<typeof passkeyCreationSchema>;

export const secondFactorsQuery = readQuery<output<typeof secondFactorsSchema>>(
  ['account', 'second-factors'],
  '/auth/second-factors',
);

/** Goes on with a sign-in after the password. @throws ApiError 401 for a wrong code, 400 where the sign-in has ended. */
export function signInSecondStep(body: { token: string } & (TypedProof | { passkey: object })): Promise<Session> {
  return call<Session>('POST', '/auth/login/second-factor', { body, isSignIn: true });
}

/** What the browser needs to ask for a passkey. @param token of a sign-in; undefined: the passkey signs in alone. */
export function askForPasskey(token?: string): Promise<PasskeyRequest> {
  return call('POST', '/auth/login/passkey-options', { body: { token: token ?? null }, isSignIn: true });
}

/** Begins a session by a passkey alone. @throws ApiError 401 for one that is not known. */
export function signInByPasskey(body: { token: string; passkey: object }): Promise<Session> {
  return call<Session>('POST', '/auth/login/passkey', { body, isSignIn: true });
}

/** Confirms that it is the person of the session. @throws ApiError VALIDATION_ERROR for a wrong proof. */
export function confirmIdentity(
  body: TypedProof | { token: string; passkey: object },
): Promise<output<typeof confirmedSchema>> {
  return call('POST', '/auth/confirm', { body });
}

export function askForConfirmingPasskey(): Promise<PasskeyRequest> {
  return call('POST', '/auth/confirm/passkey-options');
}

export function beginTotp(): Promise<TotpSecret> {
  return call('POST', '/auth/second-factors/totp');
}

/** Adds the app. @returns recovery codes, with the first second factor. @throws ApiError VALIDATION_ERROR at `code`. */
export function confirmTotp(code: string): Promise<output<typeof addedTotpSchema>> {
  return call('POST', '/auth/second-factors/totp/confirm', { body: { code } });
}

export function removeTotp(): Promise<unknown> {
  return call('DELETE', '/auth/second-factors/totp');
}

export function beginPasskey(): Promise<PasskeyCreation> {
  return call('POST', '/auth/second-factors/passkeys/options');
}

export function addPasskey(body: {
  token: string;
  name: string;
  passkey: object;
}): Promise<output<typeof addedPasskeySchema>> {
  return call('POST', '/auth/second-factors/passkeys', { body });
}

export function renamePasskey(id: string, name: string): Promise<Passkey> {
  return call('PATCH', '/auth/second-factors/passkeys/{id}', { params: { id }, body: { name } });
}

export function removePasskey(id: string): Promise<unknown> {
  return call('DELETE', '/auth/second-factors/passkeys/{id}', { params: { id } });
}

export function renewRecoveryCodes(): Promise<output<typeof recoveryCodesSchema>> {
  return call('POST', '/auth/second-factors/recovery-codes');
}
