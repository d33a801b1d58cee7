import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { PasskeyAssertion, PasskeyRegistration } from '#core/accounts/passkeys.ts';
import { testOrigin } from './people.ts';

interface Circumstances {
  origin?: string;
  /** Host name that the passkey is bound to. */
  host?: string;
  /** Whether it has checked the person. */
  isVerified?: boolean;
  /** How often it has signed; by default once more than before. */
  signCount?: number;
  type?: string;
}

/** A passkey of the tests: what an authenticator and a browser do, in memory (WebAuthn level 3, ES256, no attestation). */
export interface TestPasskey {
  id: string;
  register(challenge: string, circumstances?: Circumstances): PasskeyRegistration;
  sign(challenge: string, circumstances?: Circumstances): PasskeyAssertion;
}

const userPresent = 0x01;
const userVerified = 0x04;
const hasCredential = 0x40;
const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();

export function createTestPasskey(): TestPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let count = 0;

  function say(challenge: string, type: string, origin = testOrigin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  function describe({ host = 'localhost', isVerified = true, signCount }: Circumstances, flags = 0): Buffer {
    count = signCount ?? count + 1;
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(count);
    const all = flags | userPresent | (isVerified ? userVerified : 0);
    return Buffer.concat([sha256(host), Buffer.from([all]), counted]);
  }

  return {
    id,
    register(challenge, circumstances = {}) {
      const { x, y } = publicKey.export({ format: 'jwk' });
      // COSE (RFC 9053 §7.1.1): kty EC2, alg ES256, crv P-256, x, y.
      const coordinates = [x!, y!].map((value) => Buffer.from(value, 'base64url'));
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        coordinates[0]!,
        Buffer.from('225820', 'hex'),
        coordinates[1]!,
      ]);
      const idLength = Buffer.from([0, credentialId.length]);
      const attested = Buffer.concat([Buffer.alloc(16), idLength, credentialId, key]);
      const authData = Buffer.concat([describe(circumstances, hasCredential), attested]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      const { origin, type = 'webauthn.create' } = circumstances;
      return {
        id,
        clientDataJSON: say(challenge, type, origin).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
      };
    },
    sign(challenge, circumstances = {}) {
      const { origin, type = 'webauthn.get' } = circumstances;
      const authenticatorData = describe(circumstances);
      const clientData = say(challenge, type, origin);
      const signature = createSign('sha256')
        .update(Buffer.concat([authenticatorData, sha256(clientData)]))
        .sign(privateKey);
      return {
        id,
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
      };
    },
  };
}
