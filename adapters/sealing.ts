import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from '#core/secrets/derive-key.ts';
import { fingerprintOf } from '#core/secrets/edge-key.ts';
import { type Sealing, SealingError } from '#core/secrets/sealing.ts';

const algorithm = 'aes-256-gcm';
// version | key id | nonce | ciphertext | tag
const version = 1;
const keyIdBytes = 8;
const prefixBytes = 1 + keyIdBytes;
const nonceBytes = 12;
const tagBytes = 16;
const shortestBytes = prefixBytes + nonceBytes + tagBytes;

interface SecretKey {
  secret: string;
  id: string;
  prefix: Buffer;
  /** Derived keys by purpose. Purposes are constants in the code, so the map stays small. */
  sealKeys: Map<string, Buffer>;
}

/**
 * Seals by AES-256-GCM with a random nonce. Each purpose has a key of its own, derived by HKDF-SHA256 from each secret key. The
 * sealed form holds the secret key's id, so that opening tries one key.
 * @param secretKeys the values of SECRET_KEY: the first one seals, all of them open.
 */
export function createSealing(secretKeys: readonly string[]): Sealing {
  const keys = secretKeys.map(prepare);
  const first = keys[0];
  if (first === undefined) throw new Error('Sealing needs at least one secret key.');
  const byId = new Map(keys.map((key) => [key.id, key]));

  return {
    seal(purpose, plaintext, context = '') {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, sealKey(first, purpose), nonce);
      cipher.setAAD(associatedData(first.prefix, purpose, context));
      return Buffer.concat([
        first.prefix,
        nonce,
        typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    open(purpose, sealed, context = '') {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < shortestBytes || bytes[0] !== version) throw new SealingError('malformed');
      const key = byId.get(bytes.toString('hex', 1, prefixBytes));
      if (key === undefined) throw new SealingError('unknown-key');
      const nonce = bytes.subarray(prefixBytes, prefixBytes + nonceBytes);
      const decipher = createDecipheriv(algorithm, sealKey(key, purpose), nonce, { authTagLength: tagBytes });
      decipher.setAAD(associatedData(key.prefix, purpose, context));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const plaintext = decipher.update(bytes.subarray(prefixBytes + nonceBytes, -tagBytes));
        return Buffer.concat([plaintext, decipher.final()]);
      } catch (error) {
        throw new SealingError('refused', { cause: error });
      }
    },
    deriveKeys: (purpose) => keys.map(({ secret }) => deriveKey(secret, purpose)),
    fingerprints: keys.map(({ id }) => id),
    currentPrefix: first.prefix,
  };
}

function prepare(secret: string): SecretKey {
  const id = fingerprintOf(secret);
  const prefix = Buffer.concat([Buffer.of(version), Buffer.from(id, 'hex')]);
  return { secret, id, prefix, sealKeys: new Map() };
}

function sealKey(key: SecretKey, purpose: string): Buffer {
  let derived = key.sealKeys.get(purpose);
  if (derived === undefined) {
    // The prefix keeps these keys apart from those of deriveKeys.
    derived = deriveKey(key.secret, `seal ${purpose}`);
    key.sealKeys.set(purpose, derived);
  }
  return derived;
}

function associatedData(prefix: Buffer, purpose: string, context: string): Buffer {
  return Buffer.concat([prefix, Buffer.from(JSON.stringify([purpose, context]))]);
}
