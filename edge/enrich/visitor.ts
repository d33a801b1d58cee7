import { hash } from 'node:crypto';
import { deriveKey } from '../../core/derive-key.ts';

/** Hashes who visits: 32 hex digits. */
export type VisitorHash = (organizationId: string, address: string, userAgent: string, nowMs: number) => string;

// Of SHA-256: a key of this length takes the first round for itself.
const keyBytes = 64;
const maxMessageBytes = 4_096;
const maxAgentLength = 1_024;

/**
 * SHA-256 of a key, organization, address and user agent, cut to 16 bytes. The key is derived anew for each calendar month
 * (UTC): visitors of different organizations and months cannot be told to be the same (5.2). Since half of the digest is
 * kept back, a hash cannot be continued, and one with the key in front is as good as HMAC (the AMAC of Bellare, Bernstein
 * and Tessaro) at half the cost.
 */
export function createVisitorHash(secretKey: string): VisitorHash {
  const message = Buffer.alloc(keyBytes + maxMessageBytes);
  let monthStartMs = Number.POSITIVE_INFINITY;
  let monthEndMs = Number.NEGATIVE_INFINITY;

  function turnMonth(nowMs: number): void {
    const now = new Date(nowMs);
    monthStartMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    monthEndMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    message.set(deriveKey(secretKey, `visitor ${now.toISOString().slice(0, 7)}`, keyBytes));
  }

  return (organizationId, address, userAgent, nowMs) => {
    if (nowMs < monthStartMs || nowMs >= monthEndMs) turnMonth(nowMs);
    const agent = userAgent.length > maxAgentLength ? userAgent.slice(0, maxAgentLength) : userAgent;
    const length = keyBytes + message.write(`${organizationId}\n${address}\n${agent}`, keyBytes);
    return hash('sha256', message.subarray(0, length), 'hex').slice(0, 32);
  };
}
