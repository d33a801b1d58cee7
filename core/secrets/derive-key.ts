import { hkdfSync } from 'node:crypto';

/**
 * Derives a key for one purpose from a secret key: HKDF-SHA256 without salt, the purpose as info (RFC 5869). Keys of
 * different purposes tell nothing about each other, nor about the secret.
 */
export function deriveKey(secretKey: string, purpose: string, lengthBytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, lengthBytes));
}
