import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type { PasskeyCreation, PasskeyRequest } from '#console/api/people/second-factors.ts';

// Loaded when a passkey is asked for: the library is no part of the first load.

/** Asks the browser for a passkey. @returns what the API takes with its token. @throws Error where the person cancels. */
export async function readPasskey({ token, options }: PasskeyRequest): Promise<{ token: string; passkey: object }> {
  const optionsJSON = options as Parameters<typeof startAuthentication>[0]['optionsJSON'];
  const { id, response } = await startAuthentication({ optionsJSON });
  const { clientDataJSON, authenticatorData, signature } = response;
  return { token, passkey: { id, clientDataJSON, authenticatorData, signature } };
}

/** Lets the browser make a passkey. @returns what the API takes with its token. @throws Error where the person cancels. */
export async function makePasskey({ token, options }: PasskeyCreation): Promise<{ token: string; passkey: object }> {
  const optionsJSON = options as Parameters<typeof startRegistration>[0]['optionsJSON'];
  const { id, response } = await startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject, transports } = response;
  return { token, passkey: { id, clientDataJSON, attestationObject, transports: transports ?? null } };
}
