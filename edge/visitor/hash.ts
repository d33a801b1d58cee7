import { hash, randomBytes } from 'node:crypto';
import { visitorKeyBytes as keyBytes } from '#db/clicks/visitor-keys.ts';
import type { VisitorKeys } from './keys.ts';

/** Hashes who visits: 32 hex digits. */
export type VisitorHash = (organizationId: string, address: string, userAgent: string, nowMs: number) => string;

const hashBytes = 16;
const maxMessageBytes = 4_096;
const maxAgentLength = 1_024;

/** What stands for a visitor who is not to be known again, or cannot be: random, and another one at each visit. */
export function anonymousVisitor(): string {
  return randomBytes(hashBytes).toString('hex');
}

/**
 * SHA-256 of a key, organization, address and user agent, cut to 16 bytes. The key is another one in each calendar month
 * (UTC): visitors of different organizations and months cannot be told to be the same (5.2). Since half of the digest is
 * kept back, a hash cannot be continued, and one with the key in front is as good as HMAC (the AMAC of Bellare, Bernstein
 * and Tessaro) at half the cost. While the month's key is not known each visit is of a visitor of its own.
 */
export function createVisitorHash(keys: Pick<VisitorKeys, 'find' | 'version'>): VisitorHash {
  const message = Buffer.alloc(keyBytes + maxMessageBytes);
  let monthStartMs = Number.POSITIVE_INFINITY;
  let monthEndMs = Number.NEGATIVE_INFINITY;
  let version = -1;

  function turnMonth(nowMs: number): boolean {
    const now = new Date(nowMs);
    // The last month's key is not to stay in memory.
    message.fill(0, 0, keyBytes);
    monthEndMs = Number.NEGATIVE_INFINITY;
    const key = keys.find(nowMs);
    if (key === undefined) return false;
    monthStartMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    monthEndMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    version = keys.version;
    message.set(key);
    return true;
  }

  return (organizationId, address, userAgent, nowMs) => {
    const isTurned = nowMs < monthStartMs || nowMs >= monthEndMs || version !== keys.version;
    if (isTurned && !turnMonth(nowMs)) return anonymousVisitor();
    const agent = userAgent.length > maxAgentLength ? userAgent.slice(0, maxAgentLength) : userAgent;
    const length = keyBytes + message.write(`${organizationId}\n${address}\n${agent}`, keyBytes);
    return hash('sha256', message.subarray(0, length), 'hex').slice(0, hashBytes * 2);
  };
}
