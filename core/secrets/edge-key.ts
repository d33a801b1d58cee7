import { deriveKey } from './derive-key.ts';

/**
 * An edge's share of a secret key: enough to sign its cookies and to give clients pseudonyms, but it opens no sealed secret. The
 * other keys that derive from the secret cannot be computed from it (HKDF, RFC 5869).
 */
export interface EdgeKey {
  /** Fingerprint of the secret key, which the database knows: an edge with a key of another installation does not start. */
  fingerprint: string;
  /** Keys of the edge's purposes are derived from it. */
  key: string;
}

const fingerprintBytes = 8;
const written = /^wm_edge_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** Tells secret keys apart without giving them away: 16 hex digits. */
export function fingerprintOf(secretKey: string): string {
  return deriveKey(secretKey, 'key id', fingerprintBytes).toString('hex');
}

/** What an edge gets of a secret key. */
export function edgeKeyOf(secretKey: string): EdgeKey {
  return { fingerprint: fingerprintOf(secretKey), key: deriveKey(secretKey, 'edge').toString('base64url') };
}

/** An edge's key as EDGE_SECRET_KEY holds it. */
export function writeEdgeKey({ fingerprint, key }: EdgeKey): string {
  return `wm_edge_${fingerprint}_${key}`;
}

/** Reads what `writeEdgeKey` wrote; undefined where it is something else. */
export function readEdgeKey(text: string): EdgeKey | undefined {
  const [, fingerprint, key] = written.exec(text) ?? [];
  return fingerprint === undefined || key === undefined ? undefined : { fingerprint, key };
}
