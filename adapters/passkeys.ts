import { isIP } from 'node:net';
import { passkeyAlgorithms, type Passkeys } from '#core/accounts/passkeys.ts';

/**
 * Verifies passkeys at the host name of an address: WebAuthn binds them to it.
 * @param baseUrl public address of the API, which serves the console.
 */
export function createPasskeys(baseUrl: string): Passkeys {
  const { hostname, origin } = new URL(baseUrl);
  // WebAuthn level 3 §5.1.3: an address is no valid domain.
  const host = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : null;
  const expected = { expectedOrigin: origin, expectedRPID: hostname };
  // Loaded at the first passkey: it brings some 5 MB of parsers of certificates along.
  const load = () => import('@simplewebauthn/server');

  return {
    host,
    async verifyRegistration(challenge, { id, ...response }) {
      const { verifyRegistrationResponse } = await load();
      const answer = { id, rawId: id, response, clientExtensionResults: {}, type: 'public-key' } as const;
      const { registrationInfo } = await verifyRegistrationResponse({
        response: answer,
        expectedChallenge: challenge,
        ...expected,
        supportedAlgorithmIDs: passkeyAlgorithms,
        // Of a second factor presence is enough; a sign-in by a passkey alone requires more.
        requireUserVerification: false,
      }).catch(() => ({ registrationInfo: undefined }));
      if (registrationInfo === undefined) return undefined;
      const { credential } = registrationInfo;
      return { credentialId: credential.id, publicKey: credential.publicKey, signCount: credential.counter };
    },
    async verifyAssertion(challenge, { id, userHandle, ...response }, { publicKey, signCount }, { needsVerification }) {
      const { verifyAuthenticationResponse } = await load();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          id,
          rawId: id,
          response: { ...response, ...(userHandle === undefined ? {} : { userHandle }) },
          clientExtensionResults: {},
          type: 'public-key',
        },
        expectedChallenge: challenge,
        ...expected,
        credential: { id, publicKey: Uint8Array.from(publicKey), counter: signCount },
        requireUserVerification: needsVerification,
      }).catch(() => ({ verified: false, authenticationInfo: undefined }));
      return verified ? authenticationInfo?.newCounter : undefined;
    },
  };
}
